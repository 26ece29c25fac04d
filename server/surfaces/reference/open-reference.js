// Runs in the page /docs, after the script of the API reference. Nothing leaves the host: no fonts, no telemetry, no proxy,
// no account, no agent. "Send" goes to this service with the pasted token, and with no cookie of the console.
const place = document.getElementById('reference')
// Grey words and small buttons of the theme are below what WCAG 2.2 AA asks for.
const customCss = `
.light-mode { --scalar-color-2: #505050; --scalar-color-3: #5c5c5c; --scalar-color-blue: #0b5cad;
  --scalar-color-green: #05653f; --scalar-color-red: #b00020; --scalar-color-orange: #994000; --scalar-color-yellow: #7a5200;
  --scalar-color-purple: #5b21b6; }
.dark-mode { --scalar-color-2: #b8b8b8; --scalar-color-3: #a6a6a6; --scalar-color-red: #ff7b7b; }
[data-sidebar-id] button { min-width: 24px; min-height: 24px; }
`
const nowhere = { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' }

const document_url = '/openapi.json'
const found = await fetch(document_url, { credentials: 'omit' }).catch(() => null)
if (found?.ok) {
  const content = withTokensOnly(await found.json())
  place.replaceChildren()
  globalThis.Scalar.createApiReference(place, {
    content,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    persistAuth: false,
    hideClientButton: true,
    proxyUrl: '',
    externalUrls: nowhere,
    customFetch: (input, options) => fetch(input, { ...options, credentials: 'omit' }),
    documentDownloadType: 'none',
    defaultOpenAllTags: true,
    customCss,
    tagsSorter: 'alpha',
    authentication: { preferredSecurityScheme: 'bearer' },
  })
}

// The page has no client of its own at the authorization server, so it offers a pasted token; and it is where the document
// leads readers to, so it shows them no link to itself.
function withTokensOnly({ externalDocs, ...description }) {
  const { oauth2, ...securitySchemes } = description.components.securitySchemes
  const onlyBearer = (security) => security?.filter((requirement) => 'bearer' in requirement)
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item))
  for (const operation of operations) operation.security = onlyBearer(operation.security)
  const components = { ...description.components, securitySchemes }
  return { ...description, components, security: onlyBearer(description.security) }
}
