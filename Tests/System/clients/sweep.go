// Calls every operation with the generated client, and reads every kind of answer: SERVICE TOKEN URL SHA256.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"

	"cormorant"
)

var ctx context.Context
var called = map[string]bool{}

// Records the operation that sends a request.
type recorder struct{}

func (recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		name := frame.Function[strings.LastIndex(frame.Function, ".")+1:]
		if strings.Contains(frame.Function, "APIService)") && strings.HasSuffix(name, "Execute") {
			called[strings.TrimSuffix(name, "Execute")] = true
		}
	}
	return http.DefaultTransport.RoundTrip(request)
}

func check(holds bool, what any) {
	if !holds {
		log.Fatalf("%+v", what)
	}
}

func done(_ *http.Response, err error) { fail(err) }

func get[T any](answer T, _ *http.Response, err error) T {
	fail(err)
	return answer
}

func fail(err error) {
	var answer *cormorant.GenericOpenAPIError
	if errors.As(err, &answer) {
		log.Output(2, string(answer.Body()))
	}
	if err != nil {
		log.Output(3, err.Error())
		log.Fatal(err)
	}
}

// The problem that a call is answered with.
func problem[T any](status int, _ T, response *http.Response, err error) cormorant.Problem {
	var answer *cormorant.GenericOpenAPIError
	check(errors.As(err, &answer) && response.StatusCode == status, err)
	read, isProblem := answer.Model().(cormorant.Problem)
	check(isProblem, answer.Model())
	return read
}

func ended(client *cormorant.APIClient, download *cormorant.Download) *cormorant.Download {
	request := client.DownloadsAPI.GetDownload(ctx, download.Id).Until("terminal").Prefer("wait=30")
	answer := get(request.Execute())
	check(answer.Download != nil, answer)
	return answer.Download
}

func serviceAndLimits(client *cormorant.APIClient, authority string) {
	check(get(client.ServiceAPI.GetLiveness(ctx).Execute()).Checks != nil, "liveness")
	check(get(client.ServiceAPI.GetReadiness(ctx).Execute()).Checks != nil, "readiness")
	check(len(get(client.ServiceAPI.ListSettings(ctx).Execute()).Items) > 0, "settings")
	check(strings.Contains(get(client.ServiceAPI.GetDescription(ctx).Execute()), "openapi:"), "the description")
	check(get(client.ServiceAPI.GetDescriptionAsJSON(ctx).Execute())["openapi"] != nil, "the description as JSON")
	page := get(client.ServiceAPI.GetPage(ctx).Execute())
	script := strings.Split(strings.Split(strings.SplitN(page, "src=\"", 2)[1], "\"")[0], "/")
	version, name := script[len(script)-2], script[len(script)-1]
	check(get(client.ServiceAPI.GetPageFile(ctx, version, name).Execute()) != "", "a file of the page")
	check(get(client.ServiceAPI.ExplainProblem(ctx, "not-found").Execute()) != "", "an explanation")

	unchanged, response, err := client.LimitsAPI.ChangeLimits(ctx).LimitsChange(*cormorant.NewLimitsChange()).Execute()
	check(problem(400, unchanged, response, err).Errors[0].Code == "required", "no change")
	change := cormorant.NewLimitsChange()
	change.SetPaused(true)
	check(get(client.LimitsAPI.ChangeLimits(ctx).LimitsChange(*change).Execute()).Paused, "paused")
	rate := cormorant.LimitedWindowRateBytesPerSecond{Int64: new(int64)}
	*rate.Int64 = 1 << 30
	window := cormorant.NewLimitedWindow([]cormorant.Weekday{cormorant.WEEKDAY_MON}, "01:00", "02:00", rate)
	settings := cormorant.NewLimitsSettings()
	settings.SetRateSchedule([]cormorant.RateWindow{{LimitedWindow: window}})
	limits := get(client.LimitsAPI.PutLimits(ctx).LimitsSettings(*settings).Execute())
	check(len(limits.RateSchedule) == 1 && !limits.Paused, limits)
	get(client.LimitsAPI.PutLimits(ctx).LimitsSettings(*cormorant.NewLimitsSettings()).Execute())
	get(client.LimitsAPI.GetLimits(ctx).Execute())
	host, hostLimits := cormorant.NewHostChange(), cormorant.NewHostLimits()
	hostLimits.SetRateBytesPerSecond(1 << 30)
	host.SetLimits(*hostLimits)
	get(client.HostsAPI.ChangeHost(ctx, authority).HostChange(*host).Execute())
	check(len(get(client.HostsAPI.ListHosts(ctx).Execute()).Items) > 0, "hosts")
	check(get(client.HostsAPI.GetHost(ctx, authority).Execute()).Authority == authority, "a host")
	host.SetLimitsNil()
	get(client.HostsAPI.ChangeHost(ctx, authority).HostChange(*host).Execute())
	check(get(client.StatsAPI.GetStats(ctx).Execute()).Counts != nil, "statistics")
}

func lists(api *cormorant.DownloadsAPIService, id string, failed string, url string) {
	done(api.HeadDownload(ctx, id).Execute())
	done(api.HeadFile(ctx, id).Execute())
	file := get(api.GetFile(ctx, id).Range_("bytes=1-2").Execute())
	defer os.Remove(file.Name())
	state, _ := file.Stat()
	check(state.Size() == 2, "a range")
	beyond, response, err := api.GetFile(ctx, id).Range_(fmt.Sprintf("bytes=%d-", 1<<22)).Execute()
	problem(416, beyond, response, err)
	check(*get(api.ListAttempts(ctx, failed).Execute()).Items[0].HttpStatus.Get() == 404, "attempts")
	get(api.ListSegments(ctx, id).Execute())
	some := []cormorant.DownloadMember{cormorant.DOWNLOADMEMBER_STATE}
	check(get(api.GetDownload(ctx, id).Fields(some).Execute()).PartialDownload != nil, "a member")
	check(*get(api.GetDownload(ctx, id).View("summary").Execute()).PartialDownload.Name != "", "a summary")
	for _, view := range []string{"full", "summary"} {
		check(len(get(api.ListDownloads(ctx).View(view).Execute()).Items) > 0, view)
	}
	page := get(api.ListDownloads(ctx).Fields(some).Count(true).Limit(1).Execute())
	check(page.NextCursor.Get() != nil && *page.Total > 1, page)
	size := get(api.Probe(ctx).DownloadRequest(*cormorant.NewDownloadRequest(url)).Execute()).SizeBytes.Get()
	check(size != nil && *size == 1<<22, "a probe")
}

func actions(api *cormorant.DownloadsAPIService, id string) {
	change := cormorant.NewDownloadChangeWithDefaults()
	change.SetPriority(4)
	change.SetKeepPartial(false)
	change.SetForce(false)
	get(api.ChangeDownload(ctx, id).DownloadChange(*change).Execute())
	for _, action := range []string{"cancel", "retry", "pause"} {
		change = cormorant.NewDownloadChange()
		change.SetAction(action)
		get(api.ChangeDownload(ctx, id).DownloadChange(*change).Execute())
	}
	bulk := cormorant.NewBulkAction("pause")
	bulk.SetFilter(*cormorant.NewDownloadFilter())
	operation := get(api.ActOnDownloads(ctx).BulkAction(*bulk).Execute())
	bulk = cormorant.NewBulkAction("cancel")
	bulk.SetIds([]string{id})
	get(api.ActOnDownloads(ctx).BulkAction(*bulk).Execute())
	for operation.State != "finished" {
		operation = get(api.GetOperation(ctx, operation.Id).Execute())
	}
}

// Each type of event has its own members.
func events(api *cormorant.EventsAPIService, id string, service string) {
	var ofDownloads, ofSessions, ofOperations, ofWebhooks bool
	for _, event := range get(api.ListEvents(ctx).Limit(200).Execute()).Items {
		ofDownloads = ofDownloads || event.LoggedDownloadEvent != nil
		ofSessions = ofSessions || event.LoggedSessionEvent != nil
		ofOperations = ofOperations || event.LoggedOperationEvent != nil
		ofWebhooks = ofWebhooks || event.LoggedWebhookEvent != nil
	}
	check(ofDownloads && ofSessions && ofOperations && ofWebhooks, "types of events")
	check(len(get(api.ListDownloadEvents(ctx, id).Execute()).Items) > 2, "events of a download")
	path := *cormorant.NewTicketRequest("/downloads/" + id + "/file")
	ticket := get(api.CreateTicket(ctx).TicketRequest(path).Execute())
	response, err := http.Get(service + ticket.Links.Resource)
	check(err == nil && response.StatusCode == 200, ticket)
}

func webhookIn(api *cormorant.WebhooksAPIService, hook string) (*cormorant.CreatedWebhook, *cormorant.Delivery) {
	webhook := get(api.CreateWebhook(ctx).WebhookRequest(*cormorant.NewWebhookRequest(hook)).Execute())
	get(api.ListWebhooks(ctx).Execute())
	change := cormorant.NewWebhookChange()
	change.SetDescription("a")
	get(api.ChangeWebhook(ctx, webhook.Id).WebhookChange(*change).Execute())
	get(api.GetWebhook(ctx, webhook.Id).Execute())
	rotation := *cormorant.NewSecretRotation()
	get(api.RotateWebhookSecret(ctx, webhook.Id).SecretRotation(rotation).Execute())
	recovery := *cormorant.NewRecoveryRequest(webhook.CreatedAt)
	get(api.RecoverWebhook(ctx, webhook.Id).RecoveryRequest(recovery).Execute())
	return webhook, get(api.PingWebhook(ctx, webhook.Id).Body(map[string]any{}).Execute())
}

func deliveries(api *cormorant.WebhooksAPIService, webhook string, delivery string) {
	detail := get(api.GetDelivery(ctx, webhook, delivery).Execute())
	for detail.State == "pending" {
		detail = get(api.GetDelivery(ctx, webhook, delivery).Execute())
	}
	check(*detail.Attempts[0].HttpStatus.Get() == 204, detail)
	get(api.Redeliver(ctx, webhook, delivery).Body(map[string]any{}).Execute())
	check(len(get(api.ListDeliveries(ctx, webhook).Execute()).Items) > 0, "deliveries")
	done(api.DeleteWebhook(ctx, webhook).Execute())
}

// A batch that is not atomic is answered with 207, which the client does not decode: its type is that of 201.
func batches(api *cormorant.DownloadsAPIService, item cormorant.DownloadRequest) {
	batch := cormorant.NewBatchRequest([]cormorant.DownloadRequest{item})
	check(len(get(api.CreateDownloads(ctx).BatchRequest(*batch).Execute()).Items) == 1, "a batch")
	batch.Items = append(batch.Items, *cormorant.NewDownloadRequest("nowhere"))
	batch.SetAtomic(false)
	_, response, err := api.CreateDownloads(ctx).BatchRequest(*batch).Execute()
	check(response != nil && response.StatusCode == 207, err)
	var results cormorant.BatchResults
	check(json.NewDecoder(response.Body).Decode(&results) == nil && results.Items[1].Problem.Get() != nil, results)
}

func main() {
	service, token, url := os.Args[1], os.Args[2], os.Args[3]
	configuration := cormorant.NewConfiguration()
	configuration.Servers = cormorant.ServerConfigurations{{URL: service}}
	configuration.HTTPClient = &http.Client{Transport: recorder{}}
	client := cormorant.NewAPIClient(configuration)
	ctx = context.WithValue(context.Background(), cormorant.ContextAccessToken, token)

	serviceAndLimits(client, strings.Split(url, "/")[2])
	webhook, delivery := webhookIn(client.WebhooksAPI, strings.Replace(url, "a.bin", "hook", 1))
	name := "go"
	get(client.SessionsAPI.PutSession(ctx, name).SessionSettings(*cormorant.NewSessionSettings()).Execute())
	described := cormorant.NewSessionChange()
	described.SetDescription("b")
	get(client.SessionsAPI.ChangeSession(ctx, name).SessionChange(*described).Execute())

	api := client.DownloadsAPI
	request := cormorant.NewDownloadRequest(url)
	request.SetSession(name)
	whole := ended(client, get(api.CreateDownload(ctx).DownloadRequest(*request).Execute()))
	check(whole.State == "completed", whole)
	request = cormorant.NewDownloadRequest(strings.Replace(url, "a.bin", "missing", 1))
	request.SetMaxAttempts(1)
	failed := ended(client, get(api.CreateDownload(ctx).DownloadRequest(*request).Execute()))
	check(failed.State == "failed" && *failed.Error.Get().HttpStatus.Get() == 404, failed)
	request = cormorant.NewDownloadRequest(url)
	request.SetStart(false)
	actions(api, get(api.CreateDownload(ctx).DownloadRequest(*request).Execute()).Id)
	batches(api, *request)
	refused, response, err := api.CreateDownload(ctx).DownloadRequest(*cormorant.NewDownloadRequest("nowhere")).Execute()
	check(*problem(400, refused, response, err).Errors[0].Pointer == "/url", "a URL that is none")
	lists(api, whole.Id, failed.Id, url)
	events(client.EventsAPI, whole.Id, service)
	deliveries(client.WebhooksAPI, webhook.Id, delivery.Id)
	done(api.DeleteDownload(ctx, failed.Id).Execute())
	done(api.DeleteDownload(ctx, whole.Id).DeleteFile(true).Force(false).Execute())
	gone, response, err := api.GetDownload(ctx, failed.Id).Execute()
	problem(404, gone, response, err)
	get(client.SessionsAPI.ListSessions(ctx).Execute())
	check(get(client.SessionsAPI.GetSession(ctx, name).Execute()).Name == name, name)
	done(client.SessionsAPI.DeleteSession(ctx, name).Execute())
	complete(client)
}

// Calls each GET that was not called yet, if its path has no parameters.
func others(client *cormorant.APIClient, services []any) {
	paths := get(client.ServiceAPI.GetDescriptionAsJSON(ctx).Execute())["paths"].(map[string]any)
	for path, item := range paths {
		operation, isRead := item.(map[string]any)["get"].(map[string]any)
		if !isRead || strings.Contains(path, "{") {
			continue
		}
		id := operation["operationId"].(string)
		name := strings.ToUpper(id[:1]) + id[1:]
		for _, service := range services {
			method := reflect.ValueOf(service).MethodByName(name)
			if called[name] || !method.IsValid() {
				continue
			}
			request := method.Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
			results := request.MethodByName("Execute").Call(nil)
			err, _ := results[len(results)-1].Interface().(error)
			fail(err)
		}
	}
}

// Every operation of every tag was called, except that of the receiver of webhooks.
func complete(client *cormorant.APIClient) {
	services := []any{
		client.DownloadsAPI, client.EventsAPI, client.HostsAPI, client.LimitsAPI, client.ServiceAPI, client.SessionsAPI,
		client.StatsAPI, client.WebhooksAPI,
	}
	others(client, services)
	for _, service := range services {
		kind := reflect.TypeOf(service)
		for index := 0; index < kind.NumMethod(); index++ {
			name := kind.Method(index).Name
			check(strings.HasSuffix(name, "Execute") || called[name], name+" was not called")
		}
	}
	fmt.Println(len(called), "operations called; every answer was read")
}
