import { useState } from 'react'
import type { InvoiceAdjustment, InvoiceAdjustmentsCreateInput, InvoiceAdjustmentsUpdateInput } from '#sdk/index.ts'
import { Check } from '../../components/choice-list.tsx'
import { DateField } from '../../components/date-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { AmountFields } from '../../components/work-fields.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { changesOf, valuesOf } from '../../lib/form-values.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { ContractPicker } from '../pickers.tsx'
import { PendingCheck } from '../work-items/pending-check.tsx'
import { adjustment_types } from './types.ts'

interface AdjustmentFormProps {
  item?: InvoiceAdjustment
  onSaved(item: InvoiceAdjustment): void
  onClose(): void
}

const names = ['contract_id', 'type', 'amount', 'date', 'recurring_until', 'description'] as const
const pointers = names.map((name) => `/${name}`)

/** Expenses are repaid as they were spent, so that no VAT is added unless somebody says so. */
const isUsuallyTaxed = (type: string) => type !== 'expense'

/** The values that are chosen rather than typed. */
function useChoices(item: InvoiceAdjustment | undefined) {
  const [type, setType] = useState<string>(item?.type ?? 'bonus')
  const [is_taxable, setTaxed] = useState(item?.is_taxable ?? isUsuallyTaxed(type))
  const [is_recurring, setRecurring] = useState(item?.is_recurring ?? false)
  const [isPending, setPending] = useState(false)
  const choose = (next: string) => {
    setType(next)
    setTaxed(isUsuallyTaxed(next))
  }
  return { type, choose, is_taxable, setTaxed, is_recurring, setRecurring, isPending, setPending }
}

/** One amount on the next invoice of a contract, or on each. */
export function AdjustmentForm({ item, onSaved, onClose }: AdjustmentFormProps) {
  const [key] = useState(() => crypto.randomUUID())
  const choices = useChoices(item)
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const { is_taxable, is_recurring, isPending } = choices
    const { date, ...values } = valuesOf(form, names)
    // An empty date is that of today; a date that was shown has to stay one.
    const given = { ...values, ...(date && { date }), is_taxable, is_recurring }
    if (item) {
      const changes = changesOf(given, item)
      // The cast holds as far as the form goes; the service names the field that is missing or wrong.
      const input = { invoice_adjustment_id: item.id, ...changes } as InvoiceAdjustmentsUpdateInput
      return onSaved(Object.keys(changes).length > 0 ? await stint.invoice_adjustments.update(input) : item)
    }
    const body = { ...given, auto_approve: !isPending } as InvoiceAdjustmentsCreateInput
    onSaved(await stint.invoice_adjustments.create(body, { idempotency_key: key }))
  })
  const field = (name: (typeof names)[number], label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={item ? 'Edit adjustment' : 'Add adjustment'}
      action={item ? 'Save changes' : 'Add adjustment'}
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      <Fields item={item} field={field} choices={choices} />
    </FormDialog>
  )
}

interface FieldsProps {
  item: InvoiceAdjustment | undefined
  field(name: (typeof names)[number], label: string): { name: string; label: string; fault: string | undefined }
  choices: ReturnType<typeof useChoices>
}

function Fields({ item, field, choices }: FieldsProps) {
  const { type, is_recurring } = choices
  const [contract_id, setContract] = useState<string | null>(item?.contract_id ?? null)
  const { value: contract } = useAnswer(stint.contracts.get, contract_id === null ? null : { contract_id })
  const currency = item?.currency ?? (contract?.id === contract_id ? contract?.compensation.currency : undefined)
  return (
    <>
      {item ? null : (
        <>
          <ContractPicker
            {...field('contract_id', 'Contract')}
            required
            only={{ statuses: ['active', 'completed', 'terminated'] }}
            onChoose={(choice) => setContract(choice?.id ?? null)}
          />
          <SelectField
            {...field('type', 'Type')}
            options={adjustment_types}
            value={type}
            onChange={(event) => choices.choose(event.currentTarget.value)}
          />
        </>
      )}
      <AmountFields
        field={field}
        item={item}
        currency={currency}
        about="Description"
        hint={type === 'deduction' ? 'Without a sign; the invoice takes it off.' : undefined}
      />
      <div>
        <Check checked={choices.is_taxable} onChange={choices.setTaxed}>
          Add VAT
        </Check>
        <Check checked={is_recurring} onChange={choices.setRecurring}>
          Repeat every cycle
        </Check>
        {item ? null : <PendingCheck {...choices} />}
      </div>
      {is_recurring ? (
        <DateField
          {...field('recurring_until', 'Repeat until (optional)')}
          defaultValue={item?.recurring_until ?? ''}
          hint="Empty: until the contract ends."
        />
      ) : null}
    </>
  )
}
