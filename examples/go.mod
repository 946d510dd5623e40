module github.com/retryc/retryc/examples

go 1.26.0

tool github.com/retryc/retryc/cmd/retryc

replace github.com/retryc/retryc => ../
