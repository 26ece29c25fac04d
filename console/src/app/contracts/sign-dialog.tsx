import type { ReactNode } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { faultAt } from '../../lib/faults.ts'
import { type Keyed, textOf } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { StepDialog } from './step-dialog.tsx'

interface SignDialogProps {
  title: string
  /** The terms that are signed, to be read. */
  children: ReactNode
  /** The effect of the signature. */
  consequence: string
  sign(signer_name: string, keyed: Keyed): Promise<void>
  onClose(): void
}

/** The signature of the company: what is signed stands above the name that signs. */
export function SignDialog({ title, children, consequence, sign, onClose }: SignDialogProps) {
  const { session, membership } = useMe()
  return (
    <StepDialog
      title={title}
      action="Sign"
      pointers={['/signer_name']}
      take={(form, keyed) => sign(textOf(form, 'signer_name').trim(), keyed)}
      onClose={onClose}
    >
      {(error) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1) */}
          <section className="to-read" tabIndex={0} aria-label="What you sign">
            {children}
          </section>
          <TextField
            label="Your name, as the signature"
            name="signer_name"
            required
            minLength={2}
            maxLength={200}
            autoComplete="name"
            defaultValue={session.name}
            hint={`You sign for ${membership.organization_name}. ${consequence}`}
            fault={faultAt(error, '/signer_name')}
          />
        </>
      )}
    </StepDialog>
  )
}
