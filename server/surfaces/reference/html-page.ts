import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** Policy of a page with scripts of ours: nothing from elsewhere, no script inline, no frame around it. */
export const scriptPolicy = ({ styles, fonts, forms }: Record<'styles' | 'fonts' | 'forms', string>) =>
  [
    `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src ${fonts}`,
    `connect-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
  ].join('; ')

/** The bar over every page, the same above the API reference. */
export const bar_style = `
:root { color-scheme: light dark; }
.bar { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: 3rem; display: flex; align-items: center;
  gap: clamp(0.75rem, 3vw, 1.25rem); padding: 0 1rem; overflow-x: auto; white-space: nowrap; background: #0b5b4c; font: 0.9375rem/1.6 system-ui, sans-serif; }
.bar a { color: #fff; }
.bar a[aria-current] { font-weight: 700; text-decoration: none; }
.bar a:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }
`

const style = `${bar_style}
body { margin: 0; background: light-dark(#fff, #111715); color: light-dark(#16211e, #e8eeeb); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1rem 1rem 4rem; overflow-wrap: anywhere; }
main a { color: light-dark(#0b5b4c, #6fd6bd); }
h1 { line-height: 1.25; }
code { font-family: ui-monospace, monospace; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
pre:focus-visible, summary:focus-visible { outline: 2px solid light-dark(#0b5b4c, #6fd6bd); outline-offset: 2px; }
h2 { margin-top: 2rem; }
:target { scroll-margin-top: 4rem; }
.fields dt { margin-top: 0.75rem; font-weight: 400; }
.fields dt code { font-weight: 600; }
section h2 { margin-bottom: 0; font-size: 1.1875rem; }
section p { margin-top: 0.25rem; }
.fields dd { color: light-dark(#505c58, #a9b5b0); font-size: 0.9375rem; }
.kind { color: light-dark(#505c58, #a9b5b0); }
label { display: block; font-weight: 600; }
input, button { font: inherit; padding: 0.375rem 0.75rem; border: 1px solid light-dark(#6b7773, #84918c); border-radius: 8px; }
input { box-sizing: border-box; width: min(100%, 26rem); background: light-dark(#fff, #1a211f); color: inherit; }
button { background: #0b5b4c; color: #fff; cursor: pointer; }
pre { overflow-x: auto; padding: 0.75rem; background: light-dark(#f1f4f3, #1a211f); border-radius: 8px; }
`
const style_hash = createHash('sha256').update(style).digest('base64')

/** No script and nothing from elsewhere: the page is text, whatever stands in it. Its one form is that of the search. */
const policy = `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const places: [path: string, words: string][] = [
  ['/docs', 'API reference'],
  ['/docs/search', 'Search'],
  ['/docs/operations', 'Operations'],
  ['/docs/events', 'Events'],
  ['/docs/problems', 'Problems'],
  ['/docs/scopes', 'Scopes'],
  ['/docs/settings', 'Settings'],
  ['/openapi.json', 'JSON'],
  ['/openapi.yaml', 'YAML'],
]

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

/** Parts in one line, with this between them; a list that stands in a template has each on a line of its own. */
export const inLine = (parts: readonly Html[], between = ', '): Html => ({
  text: parts.map(({ text }) => text).join(escaped(between)),
})

/** Plain words with `code` in back ticks, as descriptions are written. */
export function words(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return inLine(parts, '')
}

/** A page of text. `at` is the place of the bar that it belongs to. */
export function sendPage(reply: FastifyReply, title: string, content: Html, at?: string): FastifyReply {
  reply.headers({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-cache' })
  return sendDocument(reply, {
    ...{ title, style, at },
    body: html`<main>
<h1>${title}</h1>
${content}
</main>`,
  })
}

/** The frame of every page: bar, style, and what a page loads in its head. */
export function sendDocument(
  reply: FastifyReply,
  page: { title: string; style: string; body: Html; head?: Html; at?: string | undefined },
): FastifyReply {
  const current = (path: string) => (path === page.at ? html` aria-current="page"` : '')
  const links = places.map(([path, name]) => html`<a href="${path}"${current(path)}>${name}</a>`)
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Stint</title>
<style>${{ text: page.style }}</style>
${page.head ?? html``}
</head>
<body>
<nav class="bar" aria-label="Documentation">
${links}
</nav>
${page.body}
</body>
</html>
`
  return reply.type('text/html; charset=utf-8').send(text)
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
