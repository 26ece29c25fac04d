import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
`
const style_hash = createHash('sha256').update(style).digest('base64')

/** No script and nothing from elsewhere: the page is text, whatever stands in it. */
const policy = `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** HTML that is safe to write out; made by `html` only. */
export interface Html {
  readonly text: string
}

/** Tagged template for HTML: every place is escaped, unless it is HTML itself or a list of it. */
export function html(
  strings: TemplateStringsArray,
  ...places: readonly (string | number | Html | readonly Html[])[]
): Html {
  const texts = strings.map((text, index) => text + (index < places.length ? written(places[index] ?? '') : ''))
  return { text: texts.join('') }
}

/** Plain words with `code` in back ticks, as descriptions are written. */
export function words(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}

export function sendPage(reply: FastifyReply, title: string, content: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Stint</title>
<style>${{ text: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
  reply.headers({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' })
  return reply.type('text/html; charset=utf-8').send(page.text)
}

function written(place: string | number | Html | readonly Html[]): string {
  if (typeof place === 'number') return String(place)
  if (typeof place === 'string') return escaped(place)
  return 'text' in place ? place.text : place.map(({ text }) => text).join('\n')
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
