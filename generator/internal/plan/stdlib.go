package plan

import "slices"

// stdlibPaths are the packages of the standard library that people know by a short name. The names are those that no
// module is likely to have by itself.
var stdlibPaths = map[string]string{
	"base64": "encoding/base64", "csv": "encoding/csv", "driver": "database/sql/driver", "exec": "os/exec", "filepath": "path/filepath",
	"fs": "io/fs", "gzip": "compress/gzip", "hex": "encoding/hex", "http": "net/http", "json": "encoding/json", "multipart": "mime/multipart",
	"netip": "net/netip", "rsa": "crypto/rsa", "smtp": "net/smtp", "sql": "database/sql", "tar": "archive/tar", "textproto": "net/textproto",
	"tls": "crypto/tls", "url": "net/url", "x509": "crypto/x509", "xml": "encoding/xml", "zip": "archive/zip", "zlib": "compress/zlib",
}

// stdlibPointers are the error types of the standard library that are errors only as pointers, and stdlibValues those
// that are errors as they are. Other packages are left to the compiler.
var (
	stdlibPointers = []string{
		"encoding/csv.ParseError", "encoding/json.InvalidUnmarshalError", "encoding/json.MarshalerError", "encoding/json.SyntaxError",
		"encoding/json.UnmarshalTypeError", "encoding/xml.SyntaxError", "io/fs.PathError", "net.AddrError", "net.DNSError", "net.OpError",
		"net.ParseError", "net/http.MaxBytesError", "net/textproto.Error", "net/url.Error", "os.LinkError", "os.PathError", "os.SyscallError",
		"os/exec.Error", "os/exec.ExitError", "strconv.NumError", "time.ParseError",
	}
	stdlibValues = []string{
		"encoding/base64.CorruptInputError", "encoding/hex.InvalidByteError", "net.Error", "net.InvalidAddrError", "net.UnknownNetworkError",
		"net/url.EscapeError", "net/url.InvalidHostError", "syscall.Errno",
	}
)

// errorMakers are functions that make errors, which is and as cannot compare with.
var errorMakers = []string{"As", "Errorf", "Is", "Join", "New", "Unwrap", "Wrap", "Wrapf"}

// judge looks for slips in a reference that is well formed; as says that it names a type.
func (b *builder) judge(ref *GoRef, as bool) bool {
	full := ref.Path + "." + ref.Name
	long := stdlibPaths[ref.Path]
	if long != "" {
		full = long + "." + ref.Name
	}
	known := slices.Contains(stdlibPointers, full) || slices.Contains(stdlibValues, full)
	switch {
	case long != "":
		right := full
		switch {
		case known && !as:
			right = "as: " + typeText(full)
		case known:
			right = typeText(full)
		case ref.Pointer:
			right = `"*` + full + `"`
		}
		errorAt(b, "RC220", ref.At, "%q is the name of a package, not its import path", ref.Path).Hint = "write " + right
	case slices.Contains(errorMakers, ref.Name):
		errorAt(b, "RC221", ref.At, "%s is a function, and not an error", full).Hint = "name what it gives: an error value with is, a type with as, or a part of the text with message"
	case as && !ref.Pointer && slices.Contains(stdlibPointers, full):
		errorAt(b, "RC222", ref.At, "errors of the type %s are pointers", full).Hint = "write " + typeText(full)
	case as && ref.Pointer && slices.Contains(stdlibValues, full):
		errorAt(b, "RC222", ref.At, "errors of the type %s are not pointers", full).Hint = "write " + full + ", without the star"
	case known && !as:
		errorAt(b, "RC221", ref.At, "%s is a type, and is compares with a value", full).Hint = "write as: " + typeText(full)
	default:
		return true
	}
	return false
}

// typeText is a type of the standard library as an as condition names it. A star needs quotes in YAML.
func typeText(full string) string {
	if slices.Contains(stdlibPointers, full) {
		return `"*` + full + `"`
	}
	return full
}
