import { useState } from 'react'
import { signInPath, signOut } from '../lib/session.ts'
import { Button } from './button.tsx'

interface SignedInAsProps {
  email: string
  returnTo?: string
  /** Forgets what the page has shown. */
  onLeave?: () => void
}

/** The person who is signed in, and the way to be somebody else; afterwards the same page asks to sign in. */
export function SignedInAs({ email, returnTo = '/console', onLeave }: SignedInAsProps) {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  const leave = async () => {
    setState('busy')
    try {
      await signOut()
      onLeave?.()
      location.assign(signInPath(returnTo))
    } catch {
      setState('failed')
    }
  }
  return (
    <div className="signed-in">
      <bdi>{email}</bdi>
      <Button look="link" isBusy={state === 'busy'} onClick={leave}>
        {state === 'failed' ? 'Not signed out, try again' : 'Sign out'}
      </Button>
    </div>
  )
}
