//retryc:when uri

package worker

import "net/url"

// uri refuses what is not an absolute URI.
func (b *breaches) uri(field, value string) {
	if u, err := url.Parse(value); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
		b.add(field, "is not a URI such as https://example.com/a")
	}
}
