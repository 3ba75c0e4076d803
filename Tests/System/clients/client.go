// Downloads a file with the generated client: SERVICE TOKEN URL SHA256.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"cormorant"
)

var api *cormorant.DownloadsAPIService
var ctx context.Context

func checked[T any](answer T, response *http.Response, err error) T {
	if err != nil {
		body := []byte{}
		if response != nil {
			body, _ = io.ReadAll(response.Body)
		}
		log.Fatalf("%v: %s", err, body)
	}
	return answer
}

func check(holds bool, what any) {
	if !holds {
		log.Fatalf("%+v", what)
	}
}

// The download after its next change.
func watch(download *cormorant.Download) *cormorant.Download {
	request := api.GetDownload(ctx, download.Id).Until("change").AfterRevision(download.Counters.Revision)
	answer := checked(request.Prefer("wait=30").Execute())
	check(answer.Download != nil, answer)
	return answer.Download
}

func act(download *cormorant.Download, action string) *cormorant.Download {
	change := cormorant.DownloadChange{Action: &action}
	return checked(api.ChangeDownload(ctx, download.Id).DownloadChange(change).Execute())
}

func main() {
	service, token, url, digest := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	configuration := cormorant.NewConfiguration()
	configuration.Servers = cormorant.ServerConfigurations{{URL: service}}
	api = cormorant.NewAPIClient(configuration).DownloadsAPI
	ctx = context.WithValue(context.Background(), cormorant.ContextAccessToken, token)

	limits := cormorant.NewDownloadLimitsRequest()
	limits.SetRateBytesPerSecond(1 << 19)
	request := cormorant.NewDownloadRequest(url)
	request.SetLimits(*limits)
	download := checked(api.CreateDownload(ctx).DownloadRequest(*request).Execute())
	fmt.Println("created", download.Id, download.Name, download.State)
	for download.State != "running" {
		check(download.State == "queued", download)
		download = watch(download)
	}
	fmt.Println("running", download.Progress.ReceivedBytes, "bytes")
	download = act(download, "pause")
	check(download.State == "paused", download)
	download = act(download, "resume")
	for download.State != "completed" {
		check(download.State != "failed", download)
		download = watch(download)
	}
	file := checked(api.GetFile(ctx, download.Id).Execute())
	defer os.Remove(file.Name())
	content, err := io.ReadAll(file)
	check(err == nil, err)
	sum := sha256.Sum256(content)
	check(hex.EncodeToString(sum[:]) == digest, "another digest")
	check(download.FinishedAt.IsSet() && download.FinishedAt.Get() != nil, download)
	fmt.Println("paused, resumed and completed:", len(content), "bytes with the right digest")
}
