import { useState } from 'react'
import { call } from './api.ts'
import { type SigningOptions, signByPasskey } from './passkeys.ts'

/** The second step, which the right password leads to. */
export interface SecondStep {
  ticket: string
  methods: readonly ('totp' | 'passkey' | 'recovery_code')[]
}

export interface SignedIn {
  user_id: string
  email: string
  name: string
}

export type SignInAnswer = SignedIn | { second_factor: SecondStep }

/** The ways to sign in; `finish` is told of the one that led in. Each refusal is thrown. */
export function useSignIn(finish: (who: SignedIn) => void) {
  const [step, setStep] = useState<SecondStep | null>(null)
  return {
    /** Present while a second factor is asked for. */
    step,
    startAgain: () => setStep(null),
    async byPassword(email: string, password: string): Promise<void> {
      const answer = await call<SignInAnswer>('POST', '/session', { body: { email, password } })
      if ('second_factor' in answer) setStep(answer.second_factor)
      else finish(answer)
    },
    async byCode(code: string): Promise<void> {
      finish(await call('POST', '/session/code', { body: { ticket: step?.ticket ?? '', code } }))
    },
    async byPasskey(offered = false): Promise<void> {
      const { options } = await call<{ options: SigningOptions }>('POST', '/session/passkey-options')
      const passkey = await signByPasskey(options, { offered })
      finish(await call('POST', '/session/passkey', { body: { passkey } }))
    },
    /** A step that another page has led to, such as the one for a new password. */
    goOn: (answer: SignInAnswer) => ('second_factor' in answer ? setStep(answer.second_factor) : finish(answer)),
  }
}
