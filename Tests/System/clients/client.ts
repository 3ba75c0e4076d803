/** Downloads a file with the generated client: SERVICE TOKEN URL SHA256. */

import { Configuration, Download, DownloadsApi, GetDownload200Response } from './index';

// Of Node, whose types would be a package of their own.
declare const process: { argv: string[]; exit(code: number): never };
declare const require: (name: 'node:crypto') => {
    createHash(name: string): { update(data: Uint8Array): { digest(encoding: 'hex'): string } };
};

const [service, token, url, digest] = process.argv.slice(2);
const api = new DownloadsApi(new Configuration({ basePath: service, accessToken: token }));

function check(holds: boolean, what: unknown): void {
    if (!holds) throw new Error(JSON.stringify(what));
}

/** The download after its next change. */
async function watch(download: Download): Promise<Download> {
    const { id, counters } = download;
    const answer: GetDownload200Response = await api.getDownload({
        id, until: 'change', afterRevision: counters.revision, prefer: 'wait=30',
    });
    return answer as Download;
}

async function main(): Promise<void> {
    const limits = { rateBytesPerSecond: 1 << 19 };
    let download = await api.createDownload({ downloadRequest: { url, limits } });
    console.log('created', download.id, download.name, download.state);
    while (download.state !== 'running') {
        check(download.state === 'queued', download);
        download = await watch(download);
    }
    console.log('running', download.progress.receivedBytes, 'bytes');
    download = await api.changeDownload({ id: download.id, downloadChange: { action: 'pause' } });
    check(download.state === 'paused', download);
    download = await api.changeDownload({ id: download.id, downloadChange: { action: 'resume' } });
    while (!['completed', 'failed'].includes(download.state)) download = await watch(download);
    check(download.state === 'completed', download.error);
    const content = new Uint8Array(await (await api.getFile({ id: download.id })).arrayBuffer());
    check(require('node:crypto').createHash('sha256').update(content).digest('hex') === digest, 'another digest');
    check(download.finishedAt instanceof Date, download.finishedAt);
    console.log('paused, resumed and completed:', content.length, 'bytes with the right digest');
}

main().catch(async (error) => {
    console.error(error, error.response ? await error.response.text() : '');
    process.exit(1);
});
