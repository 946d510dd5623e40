package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const (
	// rabbitPatience is how long the broker may take to answer while a session is begun, to read what is written, or to confirm it.
	rabbitPatience = 10 * time.Second
	// rabbitHeartbeat is how often either side shows that it is there: three in silence, and the client gives up. A heartbeat
	// in the URL goes before this one.
	rabbitHeartbeat = 10 * time.Second
	// rabbitFarewell is how long close waits until the broker has read everything.
	rabbitFarewell = 3 * time.Second
)

// rabbitConn is a connection to the broker, over a wire.
type rabbitConn struct {
	*amqp.Connection
	wire net.Conn
}

// rabbitDial makes a connection that the broker lists by a name.
func rabbitDial(ctx context.Context, address, name string) (*rabbitConn, error) {
	parsed, err := amqp.ParseURI(address)
	if err != nil {
		var broken *url.Error
		if errors.As(err, &broken) {
			err = broken.Err // the whole would show the password
		}
		return nil, fmt.Errorf("the URL of RabbitMQ cannot be read, it is such as amqp://user:password@host:5672/vhost, with %%2F for a / and %%40 for an @ in a password: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, rabbitPatience)
	defer cancel()
	var wire net.Conn
	var stop func() bool
	properties := amqp.NewConnectionProperties()
	properties.SetClientConnectionName(name)
	conn, err := amqp.DialConfig(address, amqp.Config{
		Heartbeat:  rabbitHeartbeat,
		Properties: properties,
		Dial: func(network, at string) (net.Conn, error) {
			plain, err := (&net.Dialer{}).DialContext(ctx, network, at)
			if err != nil {
				return nil, err
			}
			wire = rabbitWire{plain}
			stop = context.AfterFunc(ctx, func() { _ = plain.Close() }) // the greeting knows no ctx
			return wire, nil
		},
	})
	if stop != nil && !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	at := fmt.Sprintf("RabbitMQ at %s, virtual host %s, user %s", net.JoinHostPort(parsed.Host, strconv.Itoa(parsed.Port)), parsed.Vhost, parsed.Username)
	if err != nil {
		return nil, fmt.Errorf("%s: no connection: %w", at, err)
	}
	if version, _ := conn.Properties["version"].(string); rabbitTooOld(version) {
		return nil, errors.Join(fmt.Errorf("%s: it is version %s, and 3.10 is the first whose quorum queues hold messages back: upgrade it", at, version), conn.Close())
	}
	return &rabbitConn{conn, wire}, nil
}

// rabbitTooOld is whether a version is known to be before 3.10.
func rabbitTooOld(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	return errMajor == nil && errMinor == nil && (major < 3 || major == 3 && minor < 10)
}

// hangUp ends the connection, once the broker has read what was written or after a while. The client's own deadline would be
// put off by each heartbeat of a broker that is there and does not come to the end.
func (c *rabbitConn) hangUp() error {
	cut := time.AfterFunc(rabbitFarewell, func() { _ = c.wire.Close() })
	err := c.Close()
	switch inTime := cut.Stop(); {
	case err != nil && !inTime:
		return fmt.Errorf("RabbitMQ has not read everything within %s: %w", rabbitFarewell, err)
	case errors.Is(err, amqp.ErrClosed):
		return nil
	}
	return err
}

// rabbitWire gives up where the broker does not read.
type rabbitWire struct{ net.Conn }

func (w rabbitWire) Write(b []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(rabbitPatience)); err != nil {
		return 0, err
	}
	return w.Conn.Write(b)
}

// rabbitWithin waits for a call of the client, which knows no ctx, for as long as ctx lasts. A call that is left alone still
// ends: when the broker answers, or has been silent for three heartbeats.
func rabbitWithin(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
