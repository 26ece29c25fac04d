import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../lib/theme.ts'
import '../styles/base.css'
import '../styles/forms.css'
import '../styles/consent.css'
import { ConsentPage } from './consent/consent-page.tsx'
import { InvitePage } from './invite/invite-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { SetUpPage } from './set-up/set-up-page.tsx'
import { SignInPage } from './sign-in-page.tsx'

/** Pages before and around being signed in. None of them needs no router: each is left by loading another address. */
function pageOf(path: string) {
  const request_id = /^\/console\/authorize\/([\w-]+)$/.exec(path)?.[1]
  if (request_id) return <ConsentPage request_id={request_id} />
  if (path === '/console/sign-in') return <SignInPage />
  if (path === '/console/set-up' || path === '/console/reset') return <SetUpPage />
  if (path === '/console/invite') return <InvitePage />
  return <NotFoundPage />
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<StrictMode>{pageOf(location.pathname)}</StrictMode>)
