import { derivedEnvelopes, type Secrets } from '#core/secrets.ts'

const context = Buffer.from('ticket')

/**
 * Content that a browser carries from one step to the next without reading or changing it, so that nobody who has proved
 * nothing yet makes rows. It holds for so long and at its purpose only; nothing keeps it from being shown twice.
 */
export function createTickets<Content extends object>(purpose: string, life_s: number) {
  return {
    make(secrets: Secrets, now: string, content: Content): Buffer {
      const until = Date.parse(now) + life_s * 1_000
      const text = Buffer.from(JSON.stringify({ ...content, until }))
      return derivedEnvelopes(secrets, purpose).wrap(text, context)
    },
    /** The content of a ticket of this purpose; null for one that is over, was altered or is none of ours. */
    read(secrets: Secrets, now: string, ticket: string): (Content & { until: number }) | null {
      const text = derivedEnvelopes(secrets, purpose).unwrap(Buffer.from(ticket, 'base64url'), context)
      if (!text) return null
      // The cast holds because only `make` seals for this purpose.
      const content = JSON.parse(text.toString()) as Content & { until: number }
      return content.until > Date.parse(now) ? content : null
    },
  }
}
