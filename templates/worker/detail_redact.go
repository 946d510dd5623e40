//retryc:when redact_email redact_bearer redact_card_number

package worker

// redacted stands where something was that must not be stored.
const redacted = "[redacted]"
