//retryc:when as

package worker

import "reflect"

// zeroSample is an error of the type E with nothing in it; nil for an interface, which has no value of its own.
func zeroSample[E error]() error {
	t := reflect.TypeFor[E]()
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Pointer:
		return reflect.New(t.Elem()).Interface().(error)
	}
	return reflect.Zero(t).Interface().(error)
}
