// Creates a contract, finds it in the list and meets a refusal, through a client that oapi-codegen generated.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"
)

func main() {
	pem, err := os.ReadFile(os.Getenv("STINT_CA"))
	check(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("STINT_TOKEN"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("STINT_URL"), WithHTTPClient(trusting), WithRequestEditorFn(authorize))
	check(err)
	ctx := context.Background()

	var body ContractsCreateJSONRequestBody
	check(json.Unmarshal([]byte(`{"type":"fixed_rate","title":"Made by oapi-codegen","start_date":"2026-12-01",
		"worker":{"first_name":"Jonas","last_name":"Weber","email":"go@harbour.example","country":"DE"},
		"compensation":{"amount":"4200.00","currency":"EUR","frequency":"monthly"}}`), &body))
	created, err := client.ContractsCreateWithResponse(ctx, nil, body)
	check(err)
	if created.JSON201 == nil {
		log.Fatalf("not created: %s", created.Body)
	}

	limit := 100
	listed, err := client.ContractsListWithResponse(ctx, &ContractsListParams{Limit: &limit})
	check(err)
	found := false
	for _, contract := range listed.JSON200.Data {
		found = found || contract.Id == created.JSON201.Id
	}
	if !found {
		log.Fatal("the contract is not in the list")
	}

	refused, err := client.ContractsGetWithResponse(ctx, uuid.NewString(), nil)
	check(err)
	if refused.ApplicationproblemJSON404 == nil || refused.ApplicationproblemJSON404.Code != "not_found" {
		log.Fatalf("an unknown contract is not refused: %s", refused.Body)
	}
	fmt.Printf("created %s, found it, refused %d\n", created.JSON201.Title, refused.StatusCode())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
