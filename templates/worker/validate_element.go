//retryc:when element

package worker

import "fmt"

// element names an item of a list or a value of a map.
func element(field string, key any) string { return fmt.Sprintf("%s[%v]", field, key) }
