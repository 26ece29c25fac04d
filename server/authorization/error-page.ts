import { createHash } from 'node:crypto'
import { UnreadDocument } from './clients/client-documents.ts'
import { hostWords } from './look-alike.ts'
import type { OAuthAnswer } from './oauth-endpoint.ts'
import type { OAuthError } from './parameters.ts'

const style = `
:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#f3f5f4, #0f1513); color: light-dark(#16211e, #e8eeeb); font: 1rem/1.5 system-ui, sans-serif; }
main { box-sizing: border-box; max-width: 32rem; margin: 4rem auto; padding: 1.75rem; background: light-dark(#fff, #19211e);
  border: 1px solid light-dark(#d3dad7, #33403b); border-radius: 14px; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
a { color: light-dark(#0f6e5c, #57c4aa); }
@media (max-width: 34rem) { main { margin: 1rem; padding: 1.25rem; } }
`
const style_hash = createHash('sha256').update(style).digest('base64')

const page_headers = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${style_hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'X-Frame-Options': 'DENY',
  // Clients that open the page in a popup keep their window.
  'Cross-Origin-Opener-Policy': 'unsafe-none',
}

const start_again = '<p>Close this window, and start again from the application.</p>'

/** A bad request that can be told to the application by a press. */
export function linkedErrorPage(error: OAuthError, link: { url: string; host: string }): OAuthAnswer {
  return pageOf(
    error,
    escaped(sentenceOf(error)),
    `<p>You can tell the application. It is at ${namedHost(link.host)}, and we do not know whose it is.</p>
<p><a rel="noreferrer" href="${escaped(link.url)}">Go back to ${escaped(link.host)}</a></p>`,
  )
}

const setting = '<code>STINT_CLIENT_DOCUMENTS</code>'

/** A client is described at an address that cannot be used: names its host, and says how to go on. */
function unreadDocumentPage({ host, why }: UnreadDocument, offersDocuments: boolean): OAuthAnswer {
  const faults = {
    away: 'this service cannot reach that address at the moment',
    off: 'this service does not read such descriptions',
    unusable: 'what stands there describes no application that can be used here',
  }
  const advice = {
    away: `<p>Close this window, wait ${
      offersDocuments
        ? 'a minute, and start again from the application'
        : 'five minutes, and start again from the application: by then it knows that it can register here instead'
    }.</p>
<p>If this service has no access to the Internet, its operator can set ${setting} to <code>off</code>.</p>`,
    off: `<p>Remove the connection from the application and add it again, so that it can register here instead.</p>
<p>The operator of this service decides about it by the setting ${setting}.</p>`,
    unusable: '<p>Only the makers of the application can mend this. Close this window.</p>',
  }
  const text = `The application is described at ${namedHost(host)}, and ${faults[why]}.`
  return pageOf({ status: 400, headers: {} }, text, advice[why])
}

/** ASCII first, with the readable form behind it, and what its letters mix. */
function namedHost(host: string): string {
  const { unicode_host, mixed_scripts } = hostWords(host)
  const reads = unicode_host === host ? '' : `, which reads as <bdi>${escaped(unicode_host)}</bdi>`
  const mixes = mixed_scripts.length > 0 ? ` and mixes ${mixed_scripts.join(' and ')} letters` : ''
  return `<strong>${escaped(host)}</strong>${reads}${mixes}`
}

const faults = new Map([
  [429, 'Too many requests came from your network.'],
  [503, 'The service is not available for the moment.'],
  [500, 'Something went wrong here.'],
])

/** An error that ends here: a page without script that leads nowhere. */
export function showErrorOnPage(error: OAuthError, offersDocuments: boolean): OAuthAnswer {
  if (error instanceof UnreadDocument) return unreadDocumentPage(error, offersDocuments)
  const text = faults.get(error.status) ?? sentenceOf(error)
  // Faults that are not the request's may be gone when the page is loaded again.
  const mayPass = error.code === 'temporarily_unavailable'
  return pageOf(error, escaped(text), mayPass ? '<p>Wait a minute, then load this page again.</p>' : start_again)
}

function sentenceOf({ message }: OAuthError): string {
  return `The application sent a request that is not valid. ${message}.`
}

function pageOf(
  { status, headers }: Pick<OAuthError, 'status' | 'headers'>,
  text: string,
  way_out: string,
): OAuthAnswer {
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>This request cannot be answered</title><style>${style}</style></head>
<body><main>
<h1>This request cannot be answered</h1>
<p>${text}</p>
${way_out}
</main></body>
</html>
`
  return { status, headers: { ...page_headers, ...headers }, page }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
