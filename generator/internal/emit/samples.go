package emit

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// sample is an error to try the classes with, and what is known of it.
type sample struct {
	code     jen.Code
	text     string // empty: not known
	plain    bool   // never wrapped
	status   int
	sqlState string
	timeout  bool     // it says so of itself
	is       string   // the error value that it is
	as       []string // the error types that it is
}

// matches reports whether a condition matches the sample with this text. How Go types relate is not known
// here, but for those of net.Error.
func (s sample) matches(w *plan.Condition, text string) bool {
	switch {
	case len(w.HTTP) > 0:
		for _, h := range w.HTTP {
			if h.Family && s.status/100 == h.Code || s.status != 0 && s.status == h.Code {
				return true
			}
		}
		return false
	case w.Is != nil:
		return s.is == refText(w.Is)
	case w.As != nil:
		return slices.Contains(s.as, refText(w.As))
	case len(w.SQLState) > 0:
		for _, code := range w.SQLState {
			if prefix, wild := strings.CutSuffix(code.V, "*"); s.sqlState != "" && (s.sqlState == code.V || wild && strings.HasPrefix(s.sqlState, prefix)) {
				return true
			}
		}
		return false
	case w.Event == plan.Timeout:
		return s.timeout
	case w.Event != plan.NoEvent:
		return false
	}
	re, err := regexp.Compile(w.Message.V)
	return err == nil && s.text != "" && re.MatchString(text)
}

// netErrors are types of the standard library that a net.Error can be.
var netErrors = []string{
	"*net.AddrError", "*net.DNSConfigError", "*net.DNSError", "*net.OpError", "*net.ParseError", "*net/url.Error",
	"net.InvalidAddrError", "net.UnknownNetworkError", "syscall.Errno",
}

func refText(r *plan.GoRef) string {
	s := r.Name
	if r.Path != "" {
		s = r.Path + "." + s
	}
	if r.Pointer {
		s = "*" + s
	}
	return s
}

// samplesOf are errors that a condition matches: one for each status, code or family in it. A family is tried with one
// that no class before names.
func samplesOf(before []*plan.Class, w *plan.Condition) []sample {
	var all []sample
	switch {
	case len(w.HTTP) > 0:
		for _, h := range w.HTTP {
			s := httpSample(h.Code)
			if h.Family {
				s = freeStatus(before, h.Code*100)
			}
			all = append(all, s)
		}
	case w.Is != nil:
		s := sample{code: goRef(w.Is), is: refText(w.Is)}
		if s.is == "context.DeadlineExceeded" || s.is == "os.ErrDeadlineExceeded" {
			s.timeout, s.as = true, []string{"net.Error"}
		}
		if w.Is.Path == "" {
			s.text = sentinelText(w.Is.Name)
		}
		return []sample{s}
	case w.As != nil:
		as := []string{refText(w.As)}
		if slices.Contains(netErrors, as[0]) {
			as = append(as, "net.Error")
		}
		return []sample{{code: jen.Id("zeroSample").Types(goRef(w.As)).Call(), as: as}}
	case len(w.SQLState) > 0:
		for _, code := range w.SQLState {
			state := code.V
			if prefix, wild := strings.CutSuffix(state, "*"); wild {
				state = prefix + strings.Repeat("0", max(0, 5-len(prefix)))
			}
			all = append(all, sample{code: jen.Id("sqlStateSample").Call(jen.Lit(state)), text: "sqlstate " + state, sqlState: state})
		}
	case w.Event == plan.Timeout:
		return []sample{{code: jen.Id("timeoutSample").Values(), text: "took too long", timeout: true}}
	case w.Event != plan.NoEvent:
		return nil // every event has its row
	default:
		if text, found := textFor(w.Message.V); found {
			return []sample{{code: jen.Id("textSample").Call(raw(text)), text: text, plain: true}}
		}
	}
	return all
}

func httpSample(status int) sample {
	code := strconv.Itoa(status)
	return sample{code: jen.Id("httpSample").Call(expr(code)), text: "http status " + code, status: status}
}

// freeStatus is a status of the family from first on that no condition of the classes before names, or the first where
// there is none.
func freeStatus(before []*plan.Class, first int) sample {
	for status := first; status < first+100; status++ {
		s := httpSample(status)
		free := true
		for _, c := range before {
			for _, w := range c.When {
				free = free && !(len(w.HTTP) > 0 && s.matches(w, ""))
			}
		}
		if free {
			return s
		}
	}
	return httpSample(first)
}
