// Package templates holds what is copied out or filled in: the runtime, its adapters, and the SQL.
package templates

import "embed"

// FS holds worker/*.go, _backends/<dialect>/*.go, _brokers/<name>/*.go, _observers/<name>/*.go and sql/<dialect>/*.sql.
//
//go:embed worker/*.go _backends/*/*.go _brokers/*/*.go _brokers/*/*/*.go _observers/*/*.go sql/*/*.sql typescript/*.ts
var FS embed.FS
