// A lifecycle plugin with the standard library only. It makes a bucket for each Module with a "name".
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	pluginID     = "bucket-maker"
	bodyMax      = 4 << 20
	maxSafe      = 1<<53 - 1
	leeway       = 30
	refetchAfter = 2 * time.Second
)

type failure struct {
	code, message string
	retryable     bool
}

func (f *failure) Error() string { return f.message }

func refuse(code, message string) error { return &failure{code, message, false} }

// ---- request

type data struct {
	Type        string          `json:"@type"`
	Value       json.RawMessage `json:"value"`
	IsSensitive bool            `json:"isSensitive,omitempty"`
}

type module struct {
	Action     string          `json:"action"`
	Properties map[string]data `json:"properties"`
}

type request struct {
	ContractVersion   string      `json:"contractVersion"`
	PluginID          string      `json:"pluginId"`
	ExecutionSequence json.Number `json:"executionSequence"`
	Installation      struct {
		BundleInstallID string `json:"bundleInstallId"`
	} `json:"installation"`
	Operation struct {
		OperationID   string `json:"operationId"`
		OperationType string `json:"operationType"`
	} `json:"operation"`
	Stage     string             `json:"stage"`
	Resources *map[string]module `json:"resources"`

	sequence int64
	echo     map[string]json.RawMessage
}

func readRequest(body []byte) (*request, error) {
	if !utf8.Valid(body) {
		return nil, refuse("REQUEST_INVALID", "The body is not UTF-8")
	}
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, refuse("REQUEST_INVALID", "The body is not a lifecycle request")
	}
	if err := json.Unmarshal(body, &r.echo); err != nil {
		return nil, refuse("REQUEST_INVALID", "The body is not a lifecycle request")
	}
	// json.Number also accepts a text
	number := string(bytes.TrimSpace(r.echo["executionSequence"]))
	sequence, err := json.Number(number).Int64()
	switch {
	case r.ContractVersion != "6.0.0":
		return nil, refuse("REQUEST_INVALID", "The contractVersion must be 6.0.0")
	case r.PluginID != pluginID:
		return nil, refuse("REQUEST_INVALID", "The request is for another plugin")
	case err != nil || sequence < 1 || sequence > maxSafe:
		return nil, refuse("REQUEST_INVALID", "The executionSequence is not valid")
	case r.Installation.BundleInstallID == "" || r.Operation.OperationID == "" || r.Resources == nil:
		return nil, refuse("REQUEST_INVALID", "The request is not complete")
	case r.Stage != "BEFORE_RESOURCES" && r.Stage != "AFTER_RESOURCES":
		return nil, refuse("REQUEST_INVALID", "The stage is unknown")
	}
	switch r.Operation.OperationType {
	case "INSTALL", "UPGRADE", "CONFIGURE", "DETACH":
	default:
		return nil, refuse("REQUEST_INVALID", "The operationType is unknown")
	}
	for _, m := range *r.Resources {
		for _, p := range m.Properties {
			if p.Type != "Data" || p.Value == nil {
				return nil, refuse("REQUEST_INVALID", "A property is not wrapped as Data")
			}
		}
	}
	r.sequence = sequence
	return &r, nil
}

// ---- tokens

type claims struct {
	Issuer   string `json:"iss"`
	Audience string `json:"aud"`
	Subject  string `json:"sub"`
	Stage    string `json:"stage"`
	Sequence int64  `json:"executionSequence"`
	IssuedAt *int64 `json:"iat"`
	Expiry   int64  `json:"exp"`
}

type verifier struct {
	platform  string
	mutex     sync.Mutex
	keys      map[string]ed25519.PublicKey
	fetchedAt time.Time
}

var errKeys = errors.New("the keys of the platform could not be fetched")

func (v *verifier) key(kid string) (ed25519.PublicKey, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if key, ok := v.keys[kid]; ok {
		return key, nil
	}
	// an unknown kid must not make every call fetch the key set
	if time.Since(v.fetchedAt) < refetchAfter {
		return nil, nil
	}
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(v.platform + "/bundle-runtime/api/.well-known/jwks.json")
	if err != nil {
		return nil, errKeys
	}
	defer response.Body.Close()
	var set struct {
		Keys []struct{ Kty, Crv, X, Kid string }
	}
	if response.StatusCode != 200 || json.NewDecoder(response.Body).Decode(&set) != nil {
		return nil, errKeys
	}
	v.keys = map[string]ed25519.PublicKey{}
	for _, k := range set.Keys {
		x, err := base64.RawURLEncoding.DecodeString(k.X)
		if err == nil && k.Kty == "OKP" && k.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize {
			v.keys[k.Kid] = x
		}
	}
	v.fetchedAt = time.Now()
	return v.keys[kid], nil
}

// verify returns nil claims for a token that is refused.
func (v *verifier) verify(authorization string) (*claims, error) {
	parts := strings.Split(strings.TrimPrefix(authorization, "Bearer "), ".")
	if !strings.HasPrefix(authorization, "Bearer ") || len(parts) != 3 {
		return nil, nil
	}
	var header struct{ Alg, Kid string }
	var found claims
	if decode(parts[0], &header) != nil || decode(parts[1], &found) != nil || header.Alg != "EdDSA" {
		return nil, nil
	}
	key, err := v.key(header.Kid)
	if err != nil {
		return nil, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || key == nil || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return nil, nil
	}
	isOurs := found.Issuer == v.platform && found.Audience == pluginID
	if !isOurs || found.IssuedAt == nil || found.Expiry < time.Now().Unix()-leeway {
		return nil, nil
	}
	return &found, nil
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// ---- what is kept

type call struct{ Hash, Answer string }

type mark struct {
	Sequence    int64
	OperationID string
	IsDetached  bool
}

type bucket struct {
	BundleInstallID string `json:"bundleInstallId"`
	Locator         string `json:"locator"`
	Name            string `json:"name"`
}

type state struct {
	Calls   map[string]call
	Marks   map[string]mark
	Buckets map[string]bucket
	Keys    map[string]string
}

type plugin struct {
	verifier *verifier
	file     string
	mutex    sync.Mutex
	state    state
}

func (p *plugin) save() error {
	text, err := json.Marshal(p.state)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(p.file+".new", p.file)
}

// answer runs one call after another: everything here is in memory, so none waits long.
func (p *plugin) answer(r *request, body []byte) (string, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	key := r.Operation.OperationID + " " + r.Stage
	if known, ok := p.state.Calls[key]; ok {
		if known.Hash != hash {
			return "", refuse("REQUEST_CHANGED", "Another request has this operationId and stage")
		}
		return known.Answer, nil
	}
	install := r.Installation.BundleInstallID
	last, isKnown := p.state.Marks[install]
	if isKnown {
		isOther := r.sequence == last.Sequence && r.Operation.OperationID != last.OperationID
		if r.sequence < last.Sequence || isOther {
			return "", refuse("SEQUENCE_STALE", "A later operation of this installation has arrived")
		}
		if last.IsDetached && (r.Operation.OperationType == "UPGRADE" || r.Operation.OperationType == "CONFIGURE") {
			return "", refuse("NOT_INSTALLED", "This installation was detached")
		}
	}
	// the sequence stays, whatever becomes of the call
	p.state.Marks[install] = mark{r.sequence, r.Operation.OperationID, last.IsDetached}
	outcome, writes, err := p.apply(r)
	if err != nil {
		if saved := p.save(); saved != nil {
			return "", saved
		}
		return "", err
	}
	content := map[string]any{"outcome": outcome, "resources": writes}
	for _, name := range []string{"contractVersion", "pluginId", "executionSequence", "installation", "operation", "stage"} {
		content[name] = r.echo[name]
	}
	text, err := json.Marshal(map[string]any{"contractVersion": "1.0.0", "errorCode": "0", "data": content})
	if err != nil {
		return "", err
	}
	p.state.Calls[key] = call{hash, string(text)}
	return string(text), p.save()
}

// apply checks everything before it changes anything.
func (p *plugin) apply(r *request) (string, map[string]map[string]data, error) {
	writes := map[string]map[string]data{}
	install := r.Installation.BundleInstallID
	if r.Operation.OperationType == "DETACH" {
		if r.Stage == "BEFORE_RESOURCES" {
			return "NOT_APPLIED", writes, nil
		}
		outcome := "NOT_APPLIED"
		for id, b := range p.state.Buckets {
			if b.BundleInstallID == install {
				delete(p.state.Buckets, id)
				delete(p.state.Keys, id)
				outcome = "APPLIED"
			}
		}
		p.state.Marks[install] = mark{r.sequence, r.Operation.OperationID, true}
		return outcome, writes, nil
	}
	if r.Stage == "AFTER_RESOURCES" {
		return "VERIFIED", writes, nil
	}
	names := map[string]string{}
	for locator, m := range *r.Resources {
		value, isSet := m.Properties["name"]
		if m.Action == "DETACH" || !isSet {
			continue
		}
		var name string
		if json.Unmarshal(value.Value, &name) != nil || name == "" {
			return "", nil, refuse("NAME_INVALID", "The name must be a text")
		}
		names[locator] = name
	}
	for locator, m := range *r.Resources {
		id := install + " " + locator
		if m.Action == "DETACH" {
			delete(p.state.Buckets, id)
			delete(p.state.Keys, id)
		} else if name, isSet := names[locator]; isSet {
			p.state.Buckets[id] = bucket{install, locator, name}
			if p.state.Keys[id] == "" {
				p.state.Keys[id] = newKey()
			}
			writes[locator] = map[string]data{
				"bucket": {Type: "Data", Value: quote("bucket-" + name)},
				"key":    {Type: "Data", Value: quote(p.state.Keys[id]), IsSensitive: true},
			}
		}
	}
	return "APPLIED", writes, nil
}

func quote(text string) json.RawMessage {
	quoted, _ := json.Marshal(text)
	return quoted
}

func newKey() string {
	key := make([]byte, 24)
	if _, err := rand.Read(key); err != nil {
		panic(err)
	}
	return hex.EncodeToString(key)
}

// ---- HTTP

func (p *plugin) lifecycle(w http.ResponseWriter, incoming *http.Request) {
	if incoming.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(incoming.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, incoming.Body, bodyMax))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	found, err := p.verifier.verify(incoming.Header.Get("Authorization"))
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if found == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r, err := readRequest(body)
	if err == nil && (found.Subject != r.Operation.OperationID || found.Stage != r.Stage || found.Sequence != r.sequence) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	text := ""
	if err == nil {
		text, err = p.answer(r, body)
	}
	if err != nil {
		f := &failure{"INTERNAL", "The plugin encountered an internal error", true}
		errors.As(err, &f)
		content := map[string]any{"message": f.message, "retryable": f.retryable}
		failed, _ := json.Marshal(map[string]any{"contractVersion": "1.0.0", "errorCode": f.code, "data": content})
		text = string(failed)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
}

func (p *plugin) buckets(w http.ResponseWriter, _ *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	list := []bucket{}
	for _, b := range p.state.Buckets {
		list = append(list, b)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func main() {
	port := flag.Int("port", 8093, "where it listens")
	file := flag.String("data-file", "data/buckets.json", "where it keeps its state")
	platform := flag.String("platform-api-base", "", "the address of the platform")
	flag.Parse()
	p := &plugin{
		verifier: &verifier{platform: *platform},
		file:     *file,
		state:    state{map[string]call{}, map[string]mark{}, map[string]bucket{}, map[string]string{}},
	}
	if text, err := os.ReadFile(*file); err == nil {
		if err := json.Unmarshal(text, &p.state); err != nil {
			log.Fatal("The data file is damaged")
		}
	}
	http.HandleFunc("/lifecycle", p.lifecycle)
	http.HandleFunc("/buckets", p.buckets)
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
}
