/** Calls every operation with the generated client, and reads every kind of answer: SERVICE TOKEN URL SHA256. */

import {
    BatchResultsFromJSON, Configuration, Download, DownloadsApi, EventsApi, HostsApi, LimitsApi, ProblemFromJSON,
    ResponseError, ServiceApi, SessionsApi, StatsApi, WebhooksApi,
} from './index';

// Of Node, whose types would be a package of their own.
declare const process: { argv: string[]; exit(code: number): never };

const [service, token, url] = process.argv.slice(2);
const missing = url.replace('a.bin', 'missing');
const hook = url.replace('a.bin', 'hook');
const called = new Set<string>();
/** The operations, and their clients. */
const operations = new Map<string, object>();

function check(holds: unknown, what: unknown): void {
    if (!holds) throw new Error(JSON.stringify(what));
}

/** The client of a tag. It records which operations are called. */
function api<Api extends object>(type: new (configuration: Configuration) => Api): Api {
    const own = Object.getOwnPropertyNames(type.prototype).filter((name) => /^(?!constructor).*(?<!Raw|Opts)$/.test(name));
    const proxy = new Proxy(new type(new Configuration({ basePath: service, accessToken: token })), {
        get(target, name, receiver) {
            if (own.includes(name as string)) called.add(name as string);
            return Reflect.get(target, name, receiver);
        },
    });
    for (const name of own) operations.set(name, proxy);
    return proxy;
}

const downloads = api(DownloadsApi);
const events = api(EventsApi);
const hosts = api(HostsApi);
const limits = api(LimitsApi);
const about = api(ServiceApi);
const sessions = api(SessionsApi);
const stats = api(StatsApi);
const webhooks = api(WebhooksApi);

/** The problem that a call is answered with. */
async function problem(call: Promise<unknown>, status: number) {
    try {
        await call;
    } catch (error) {
        const { response } = error as ResponseError;
        const text = await response.text();
        check(response.status === status, text);
        return ProblemFromJSON(JSON.parse(text));
    }
    throw new Error(`no status ${status}`);
}

/** The download after its end. */
async function ended(download: Download): Promise<Download> {
    return (await downloads.getDownload({ id: download.id, until: 'terminal', prefer: 'wait=30' })) as Download;
}

async function serviceAndLimits(): Promise<void> {
    for (const health of [await about.getLiveness(), await about.getReadiness()]) check(health.checks, health);
    check((await about.listSettings()).items.length > 0, 'settings');
    check(String(await about.getDescription()).includes('openapi:'), 'the description');
    check((await about.getDescriptionAsJSON()).openapi, 'the description as JSON');
    const script = /src="\/?([^"]*)"/.exec(String(await about.getPage()))![1].split('/');
    check(await about.getPageFile({ version: script[script.length - 2], file: script[script.length - 1] }), script);
    check(await about.explainProblem({ slug: 'not-found' }), 'an explanation');
    check((await problem(limits.changeLimits({ limitsChange: {} }), 400)).errors![0].code === 'required', 'nothing');
    check((await limits.changeLimits({ limitsChange: { paused: true } })).paused, 'paused');
    const window = { days: new Set(['mon' as const]), from: '01:00', to: '02:00', rateBytesPerSecond: 1 << 30 };
    const set = await limits.putLimits({ limitsSettings: { rateSchedule: [window] } });
    check(set.rateSchedule.length === 1 && !set.paused, set);
    await limits.putLimits({ limitsSettings: {} });
    check((await limits.getLimits()).now, 'the limits now');
    const authority = url.split('/')[2];
    await hosts.changeHost({ authority, hostChange: { limits: { rateBytesPerSecond: 1 << 30 } } });
}

async function lists(done: Download, failed: Download): Promise<void> {
    await downloads.headDownload({ id: done.id });
    await downloads.headFile({ id: done.id });
    const part = await downloads.getFile({ id: done.id, range: 'bytes=1-2' });
    check(part.size === 2, 'a range');
    await problem(downloads.getFile({ id: done.id, range: `bytes=${1 << 22}-` }), 416);
    check((await downloads.listAttempts({ id: failed.id })).items[0].httpStatus === 404, 'attempts');
    await downloads.listSegments({ id: done.id });
    check((await downloads.getDownload({ id: done.id, fields: ['state'] })).state === 'completed', 'a member');
    check((await downloads.getDownload({ id: done.id, view: 'summary' })).name === done.name, 'a summary');
    for (const view of ['full', 'summary'] as const) check((await downloads.listDownloads({ view })).items.length, view);
    const page = await downloads.listDownloads({ fields: ['name'], count: true, limit: 1 });
    check(page.nextCursor && page.total! > 1, page);
    check((await downloads.probe({ downloadRequest: { url } })).sizeBytes === 1 << 22, 'a probe');
}

async function actions(paused: Download): Promise<void> {
    const id = paused.id;
    await downloads.changeDownload({ id, downloadChange: { priority: 4, keepPartial: false, force: false } });
    for (const action of ['cancel', 'retry', 'pause'] as const) {
        await downloads.changeDownload({ id, downloadChange: { action } });
    }
    let operation = await downloads.actOnDownloads({ bulkAction: { action: 'pause', filter: {}, dryRun: false } });
    await downloads.actOnDownloads({ bulkAction: { action: 'cancel', ids: new Set([id]), dryRun: false } });
    while (operation.state !== 'finished') operation = await downloads.getOperation({ id: operation.id });
}

async function log(done: Download): Promise<void> {
    // Each type of event has its own members.
    const kinds = (await events.listEvents({ limit: 200 })).items.map((event) => event.type.split('.')[0]);
    for (const kind of ['download', 'session', 'operation', 'webhook']) check(kinds.includes(kind), kinds);
    const own = (await events.listDownloadEvents({ id: done.id }))!.items.map((event) => event.type);
    check(own.includes('download.completed'), own);
    const ticket = await events.createTicket({ ticketRequest: { path: `/downloads/${done.id}/file` } });
    check((await fetch(service + ticket.links.resource)).status === 200, ticket);
}

/** Calls each GET that was not called yet, if its path has no parameters. */
async function others(): Promise<void> {
    type Paths = Record<string, { get?: { operationId: string } }>;
    const { paths } = (await about.getDescriptionAsJSON()) as { paths: Paths };
    for (const [path, { get }] of Object.entries(paths)) {
        if (!get || path.includes('{') || called.has(get.operationId)) continue;
        const client = operations.get(get.operationId) as Record<string, () => Promise<unknown>>;
        check(await client[get.operationId](), get.operationId);
    }
}

async function main(): Promise<void> {
    await serviceAndLimits();
    const webhook = await webhooks.createWebhook({ webhookRequest: { url: hook } });
    await webhooks.listWebhooks();
    await webhooks.changeWebhook({ id: webhook.id, webhookChange: { description: 'a' } });
    await webhooks.getWebhook({ id: webhook.id });
    await webhooks.rotateWebhookSecret({ id: webhook.id, secretRotation: {} });
    const delivery = await webhooks.pingWebhook({ id: webhook.id, body: {} });
    await webhooks.recoverWebhook({ id: webhook.id, recoveryRequest: { createdAfter: webhook.createdAt } });

    const name = 'typescript';
    await sessions.putSession({ name, sessionSettings: {} });
    check((await sessions.changeSession({ name, sessionChange: { description: 'b' } })).description === 'b', name);
    const done = await ended(await downloads.createDownload({ downloadRequest: { url, session: name } }));
    check(done.state === 'completed', done.error);
    const failed = await ended(await downloads.createDownload({ downloadRequest: { url: missing, maxAttempts: 1 } }));
    check(failed.state === 'failed' && failed.error!.httpStatus === 404, failed);
    const items = [{ url, start: false }, { url: 'nowhere' }];
    check((await downloads.createDownloads({ batchRequest: { items: [items[0]] } })).items.length === 1, 'a batch');
    const both = await downloads.createDownloadsRaw({ batchRequest: { items, atomic: false } });
    check(BatchResultsFromJSON(await both.raw.json()).items[1].problem, 'a batch in part');
    const refused = await problem(downloads.createDownload({ downloadRequest: { url: 'nowhere' } }), 400);
    check(refused.errors![0].pointer === '/url', refused);
    await actions(await downloads.createDownload({ downloadRequest: { url, start: false } }));
    await lists(done, failed);
    await log(done);

    let detail = await webhooks.getDelivery({ id: webhook.id, deliveryId: delivery.id });
    while (detail.state === 'pending') detail = await webhooks.getDelivery({ id: webhook.id, deliveryId: delivery.id });
    check(detail.attempts[0].httpStatus === 204, detail);
    await webhooks.redeliver({ id: webhook.id, deliveryId: delivery.id, body: {} });
    check((await webhooks.listDeliveries({ id: webhook.id })).items.length > 0, 'deliveries');
    const { items: known } = await hosts.listHosts();
    check((await hosts.getHost({ authority: known[0].authority })).authority === known[0].authority, known);
    await hosts.changeHost({ authority: known[0].authority, hostChange: { limits: null } });
    check((await stats.getStats()).counts, 'statistics');
    check((await sessions.listSessions()).items.length > 0, 'sessions');
    check((await sessions.getSession({ name })).counts.completed === 1, name);
    await downloads.deleteDownload({ id: failed.id });
    await downloads.deleteDownload({ id: done.id, deleteFile: true, force: false });
    await problem(downloads.getDownload({ id: failed.id }), 404);
    await sessions.deleteSession({ name });
    await webhooks.deleteWebhook({ id: webhook.id });
    await others();
    const left = [...operations.keys()].filter((operation) => !called.has(operation));
    check(left.length === 0, left);
    console.log(called.size, 'operations called; every answer was read');
}

main().catch(async (error) => {
    console.error(error, error.response ? await error.response.text() : '');
    process.exit(1);
});
