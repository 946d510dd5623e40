package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"time"
)

// origin serves the merchants' documents, and misbehaves on a script: the first part of a path says how.
type origin struct {
	mu   sync.Mutex
	hits map[string]int
}

func newOrigin() *origin { return &origin{hits: map[string]int{}} }

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.hits[r.URL.Path]++
	hit := o.hits[r.URL.Path]
	o.mu.Unlock()
	behaviour, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case behaviour == "gone":
		http.Error(w, "deleted by its owner", http.StatusGone)
	case behaviour == "down":
		http.Error(w, "try later", http.StatusBadGateway)
	case behaviour == "flaky" && hit <= 2, behaviour == "rare" && hit <= 1:
		http.Error(w, "overloaded", http.StatusServiceUnavailable)
	case behaviour == "busy" && hit <= 1:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case behaviour == "slow" && hit <= 1:
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	case behaviour == "text":
		_, _ = w.Write([]byte("this is no picture"))
	case behaviour == "torn":
		torn := document(100, 100)
		torn[20] ^= 0xff // its checksum is wrong now
		_, _ = w.Write(torn)
	case behaviour == "huge":
		_, _ = w.Write(document(4000, 1))
	default:
		_, _ = w.Write(document(320, 200))
	}
}

// document is a PNG with a gradient.
func document(width, height int) []byte {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			picture.Set(x, y, color.RGBA{R: uint8(x), G: uint8(y), B: 128, A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err) // a buffer takes every write
	}
	return b.Bytes()
}
