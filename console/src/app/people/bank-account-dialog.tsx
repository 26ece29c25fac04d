import { useState } from 'react'
import type { BankAccountInput, Person } from '#sdk/index.ts'
import { Radios } from '../../components/choice-list.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { valuesOf } from '../../lib/form-values.ts'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { LookupField } from '../lookup-field.tsx'

interface BankAccountDialogProps {
  person: Person
  /** Absent: as somebody who administers people. */
  save?(account: BankAccountInput): Promise<unknown>
  onClose(): void
}

const names = [
  'holder_name',
  'country',
  'currency',
  'iban',
  'account_number',
  'routing_code',
  'bic',
  'bank_name',
] as const
const pointers = names.map((name) => `/${name}`)

/** Where a person is paid to. It is always entered whole: half of an old account and half of a new one is none. */
export function BankAccountDialog({ person, save, onClose }: BankAccountDialogProps) {
  const before = person.bank_account
  const [kind, setKind] = useState<'iban' | 'number'>(before?.account_number ? 'number' : 'iban')
  const { submit, isBusy, error } = useSubmit(async (form) => {
    // The cast holds as far as the form goes; the service names the field that is missing.
    const account = valuesOf(form, names) as unknown as BankAccountInput
    await (save?.(account) ?? stint.people.set_bank_account({ person_id: person.id, ...account }))
    onClose()
  })
  const field = (name: (typeof names)[number], label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  const text = { autoComplete: 'off', spellCheck: false }
  return (
    <FormDialog
      title={before ? 'Replace the bank account' : 'Add a bank account'}
      action="Save bank account"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      <TextField
        {...field('holder_name', 'Account holder')}
        {...text}
        required
        maxLength={140}
        defaultValue={before?.holder_name ?? `${person.first_name} ${person.last_name}`}
      />
      <Radios
        name="kind"
        legend="The account has"
        value={kind}
        options={[
          { value: 'iban', words: 'an IBAN' },
          { value: 'number', words: 'an account number' },
        ]}
        onChange={setKind}
        isRow
      />
      {kind === 'iban' ? (
        <TextField {...field('iban', 'IBAN')} {...text} required placeholder="DE02 1203 0000 0000 2020 51" />
      ) : (
        <div className="pair">
          <TextField {...field('account_number', 'Account number')} {...text} required maxLength={34} />
          <TextField {...field('routing_code', 'Routing code (optional)')} {...text} maxLength={34} />
        </div>
      )}
      <div className="pair">
        <LookupField
          {...field('country', 'Country of the bank')}
          of="countries"
          defaultValue={before?.country ?? person.country ?? ''}
        />
        <LookupField {...field('currency', 'Currency')} of="currencies" defaultValue={before?.currency ?? ''} />
      </div>
      <div className="pair">
        <TextField {...field('bic', 'BIC (optional)')} {...text} maxLength={11} />
        <TextField {...field('bank_name', 'Bank (optional)')} {...text} maxLength={140} />
      </div>
    </FormDialog>
  )
}
