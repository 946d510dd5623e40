package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/retryc/retryc/examples/thumbnails/internal/jobs"
)

// thumbnailer makes thumbnails in the folder dir.
type thumbnailer struct {
	client *http.Client
	dir    string
}

const maxWidth = 2000

// handle is the handler of the queue thumbnails. A plain error is classed by retry.yaml.
func (t *thumbnailer) handle(ctx context.Context, job *jobs.Job[jobs.Thumbnails]) error {
	body, err := t.fetch(ctx, job.Payload.SourceURL)
	if err != nil {
		return err
	}
	picture, _, err := image.Decode(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("decode %s: %w", job.Payload.SourceURL, err)
	}
	if width := picture.Bounds().Dx(); width > maxWidth {
		return fmt.Errorf("%w: %d pixels wide", jobs.ErrTooLarge, width)
	}
	var small bytes.Buffer
	if err := png.Encode(&small, shrink(picture, *job.Payload.Width)); err != nil {
		return err
	}
	// The name comes from the job and the file is replaced as a whole: a second run gives the same.
	if err := os.WriteFile(filepath.Join(t.dir, job.ID+".png"), small.Bytes(), 0o600); err != nil {
		return err
	}
	// The fee must be posted once: it commits with the attempt that made the thumbnail, or not at all.
	job.OnCommit(func(ctx context.Context, tx *sql.Tx) error {
		return postFee(ctx, tx, job.Payload.MerchantID, job.ID, job.Attempt)
	})
	return nil
}

func (t *thumbnailer) fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, jobs.Permanent(err)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := jobs.CheckResponse(resp); err != nil {
		return nil, fmt.Errorf("fetch %s: %w", url, err)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 10<<20))
}

// shrink picks the nearest pixels.
func shrink(picture image.Image, width int) image.Image {
	from := picture.Bounds()
	width = min(width, from.Dx())
	height := max(1, from.Dy()*width/from.Dx())
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			small.Set(x, y, picture.At(from.Min.X+x*from.Dx()/width, from.Min.Y+y*from.Dy()/height))
		}
	}
	return small
}
