package plan

import (
	"go/token"
	"testing"
	"unicode/utf8"
)

func TestExportedIsWhatAGoProgrammerWouldWrite(t *testing.T) {
	for name, want := range map[string]string{
		"merchant-doc-thumbnails": "MerchantDocThumbnails",
		"event_id":                "EventID",
		"event.ids":               "EventIDs",
		"source_url":              "SourceURL",
		"callbackUrl":             "CallbackURL",
		"HTTPServer":              "HTTPServer",
		"userID":                  "UserID",
		"MERCHANT_ID":             "MerchantID",
		"vat-pdf":                 "VATPDF",
		"identity":                "Identity",
		"ios_ip":                  "IosIP",
		"2fa_code":                "X2faCode",
		"_":                       "X",
		"":                        "X",
		"--":                      "X",
		"type":                    "Type",
		"über-größe":              "ÜberGröße",
		"名前":                      "X名前",
		"a__b":                    "AB",
		"sha256":                  "Sha256",
		"\xff":                    "X",
	} {
		if got := exported(name); got != want {
			t.Errorf("exported(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestUnexportedHasASmallFirstWord(t *testing.T) {
	for name, want := range map[string]string{
		"standard": "standard", "url-fetch": "urlFetch", "PDFJob": "pdfJob", "2fa": "x2fa", "": "x", "Thumbnails": "thumbnails", "𝐀b": "x𝐀b",
	} {
		if got := unexported(name); got != want {
			t.Errorf("unexported(%q) = %s, want %s", name, got, want)
		}
	}
}

func FuzzEveryNameGivesAnIdentifier(f *testing.F) {
	for _, seed := range []string{"event_id", "2fa", "", "type", "名前", "ǆ", "ß", "a\u0301", "\xff", "١", "ªb", "_", "ⅷ", "İd", "ⅅ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := exported(name); !isExported(got) || !utf8.ValidString(got) {
			t.Errorf("exported(%q) = %q", name, got)
		}
		if got := unexported(name) + "Queue"; !token.IsIdentifier(got) || token.IsExported(got) {
			t.Errorf("unexported(%q) = %q", name, got)
		}
		if got := "X" + suffix(name); !token.IsIdentifier(got) {
			t.Errorf("suffix(%q) = %q", name, got)
		}
	})
}
