package worker

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// proof is what a scheme says of a request, for secrets that it takes.
func proof(t *testing.T, s signatureScheme, secrets []string, header http.Header, body string, now int64) error {
	t.Helper()
	var keys [][]byte
	for _, secret := range secrets {
		key, err := s.key(secret)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	c, err := s.claim(header, time.Unix(now, 0))
	if err != nil {
		return err
	}
	return c.proven(keys, []byte(body))
}

var (
	github   = hmacScheme{header: "X-Hub-Signature-256", prefix: "sha256="}
	stripe   = stripeScheme{5 * time.Minute}
	standard = standardScheme{5 * time.Minute}
)

// Signatures that others have made. Those of GitHub and of the Standard Webhooks are the examples of their documentation, the
// one in hexadecimal is test case 2 of RFC 4231, and the others come from `openssl dgst -sha256 -hmac`.
var vectors = []struct {
	name         string
	scheme       signatureScheme
	secret, body string
	header       http.Header
	now          int64
}{
	{"GitHub", github, "It's a Secret to Everybody", "Hello, World!",
		headers("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"), 0},
	{"Standard Webhooks", standard, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"test": 2432232314}`,
		headers("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp", "1614265330", "webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), 1614265330},
	{"Stripe", stripe, "whsec_test_secret", `{"id": "evt_1", "object": "event"}`,
		headers("Stripe-Signature", "t=1492774577,v1=09357d4fb8d9eba6f07fdea6b2428fa819063ec7bb7f9eca18b88cf0ff729476,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39"), 1492774577},
	{"hexadecimal", hmacScheme{header: "X-Signature"}, "Jefe", "what do ya want for nothing?",
		headers("x-signature", "5BDCC146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"), 0},
	{"base64", hmacScheme{header: "X-Signature", prefix: "v1=", base64: true}, "kyc-secret", `{"events": [{"id": "e1"}]}`,
		headers("X-Signature", "v1=Cu7HEeCAdByx+/ewSsXboeb83kY6yCnv7SrWK5Tkje4="), 0},
}

func TestSignaturesOfOthersAreProven(t *testing.T) {
	for _, v := range vectors {
		if err := proof(t, v.scheme, []string{v.secret}, v.header, v.body, v.now); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
		if err := proof(t, v.scheme, []string{"b3RoZXI=", v.secret}, v.header, v.body, v.now); err != nil {
			t.Errorf("%s, with the secret after another: %v", v.name, err)
		}
		if proof(t, v.scheme, []string{"b3RoZXI="}, v.header, v.body, v.now) == nil {
			t.Errorf("%s: another secret will do", v.name)
		}
		if proof(t, v.scheme, []string{v.secret}, v.header, v.body+" ", v.now) == nil {
			t.Errorf("%s: another body will do", v.name)
		}
		if proof(t, v.scheme, nil, v.header, v.body, v.now) == nil {
			t.Errorf("%s: no secret at all will do", v.name)
		}
	}
}

// Whatever is taken away from a signature, or put to it, makes it wrong.
func TestEveryPieceOfASignatureCounts(t *testing.T) {
	for _, v := range vectors {
		for name := range v.header {
			value := v.header.Get(name)
			if v.scheme == stripe {
				value, _, _ = strings.Cut(value, ",v0=")
			}
			for i := range value {
				cut := v.header.Clone()
				cut.Set(name, value[:i]+value[i+1:])
				if proof(t, v.scheme, []string{v.secret}, cut, v.body, v.now) == nil {
					t.Errorf("%s: %s without its byte %d will do: %q", v.name, name, i, cut.Get(name))
				}
			}
			for _, other := range []string{"", " ", value + "0", "\x00", "ü"} {
				bad := v.header.Clone()
				bad.Set(name, other)
				if proof(t, v.scheme, []string{v.secret}, bad, v.body, v.now) == nil {
					t.Errorf("%s: %s may be %q", v.name, name, other)
				}
			}
			without, twice := v.header.Clone(), v.header.Clone()
			without.Del(name)
			twice.Add(name, value)
			for what, h := range map[string]http.Header{"missing": without, "there twice": twice} {
				if proof(t, v.scheme, []string{v.secret}, h, v.body, v.now) == nil {
					t.Errorf("%s: %s may be %s", v.name, name, what)
				}
			}
		}
	}
}

// While a secret is replaced, a sender may sign with both.
func TestOneOfSeveralSignaturesIsEnough(t *testing.T) {
	const right = "v1=09357d4fb8d9eba6f07fdea6b2428fa819063ec7bb7f9eca18b88cf0ff729476"
	wrong := "v1=" + strings.Repeat("0", 64)
	body := `{"id": "evt_1", "object": "event"}`
	for _, text := range []string{"t=1492774577," + wrong + "," + right, right + ",t=1492774577," + wrong, "t=1492774577,v1=no," + right, "t=1492774577, " + right + ",x"} {
		if err := proof(t, stripe, []string{"whsec_test_secret"}, headers("Stripe-Signature", text), body, 1492774577); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"t=1492774577," + wrong, right, "t=1492774577", "t=1492774577,v0=" + right[3:], "t=1,t=1492774577," + right, "t=1492774577,t=1492774577," + right} {
		if proof(t, stripe, []string{"whsec_test_secret"}, headers("Stripe-Signature", text), body, 1492774577) == nil {
			t.Errorf("%s will do", text)
		}
	}
	v := vectors[1]
	const sum = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for text, want := range map[string]bool{
		"v1,b3RoZXI= v1," + sum: true, "v1a,b3RoZXI= v1," + sum + " v2,x": true, "v1," + sum + " v1,%": true,
		"v1a," + sum: false, "v2," + sum: false, sum: false, "v1, " + sum: false, "v1,": false,
	} {
		h := v.header.Clone()
		h.Set("webhook-signature", text)
		if err := proof(t, standard, []string{v.secret}, h, v.body, v.now); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOldSignaturesAndThoseOfTheFutureAreRefused(t *testing.T) {
	for _, v := range vectors {
		if v.now == 0 {
			continue
		}
		for after, want := range map[int64]bool{0: true, 300: true, -300: true, 301: false, -301: false, 1 << 40: false, -v.now: false} {
			if err := proof(t, v.scheme, []string{v.secret}, v.header, v.body, v.now+after); (err == nil) != want {
				t.Errorf("%s, %d seconds later: %v", v.name, after, err)
			}
		}
	}
	now := time.Unix(1614265330, 0)
	for _, text := range []string{"", "-1614265330", "+1614265330", " 1614265330", "1614265330.0", "1614265330 ", "0x6037bdf2", "1e9", "١٦١٤٢٦٥٣٣٠", "9223372036854775807", "99999999999999999999"} {
		if timely(text, now, 100*365*24*time.Hour) == nil {
			t.Errorf("%q is a time", text)
		}
	}
}

func TestSecretsThatFitNoSignatureAreRefusedAtOnce(t *testing.T) {
	for _, secret := range []string{" a", "a\n", "a\t"} {
		for _, s := range []signatureScheme{github, stripe} {
			if _, err := s.key(secret); err == nil {
				t.Errorf("%q is a secret", secret)
			}
		}
	}
	for _, secret := range []string{"whsec_", "whsec_not base64", "sk_live_1"} {
		if _, err := standard.key(secret); err == nil || secret != "whsec_" && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", secret, err)
		}
	}
	if key, err := standard.key("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"); err != nil || len(key) != 24 {
		t.Errorf("a secret without its prefix: %v", err)
	}
}

func FuzzSignaturesOfNobodyAreRefused(f *testing.F) {
	for _, v := range vectors {
		for name := range v.header {
			f.Add(v.header.Get(name), v.header.Get(name), v.header.Get(name), "a body of nobody")
		}
	}
	f.Fuzz(func(t *testing.T, id, at, signature, body string) {
		for _, v := range vectors {
			h := headers("Webhook-Id", id, "Webhook-Timestamp", at, "Webhook-Signature", signature, "Stripe-Signature", signature, "X-Hub-Signature-256", signature, "X-Signature", signature)
			if body != v.body && proof(t, v.scheme, []string{v.secret}, h, body, v.now) == nil {
				t.Errorf("%s: %q is signed by %q, %q, %q", v.name, body, id, at, signature)
			}
		}
	})
}
