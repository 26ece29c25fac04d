import type { OAuthAnswer } from '../send-oauth-answer.ts'

const headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Frame-Options': 'DENY',
  // Clients that open the page in a popup keep their window.
  'Cross-Origin-Opener-Policy': 'unsafe-none',
}

/** A page that ends here: without script, without style, and leading nowhere unless a link is given to press. */
export function errorPage(text: string, link?: { url: string; host: string }): OAuthAnswer {
  const way_out = link
    ? `<p>You can tell the application. It is at <strong>${escaped(link.host)}</strong>, and we do not know whose it is.</p>
<p><a rel="noreferrer" href="${escaped(link.url)}">Go back to ${escaped(link.host)}</a></p>`
    : '<p>Close this window, and start again from the application.</p>'
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>This request cannot be answered</title></head>
<body><main>
<h1>This request cannot be answered</h1>
<p>${escaped(text)}</p>
${way_out}
</main></body>
</html>
`
  return { status: 400, headers, page }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
