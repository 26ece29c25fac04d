import { useState } from 'react'
import type { InvoiceAdjustment, WorkerCreateInvoiceAdjustmentInput } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { AmountFields } from '../../components/work-fields.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { wordsOf } from '../../lib/format.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { contractOptions, type WorkFormProps } from '../work/work-page.tsx'

type Type = WorkerCreateInvoiceAdjustmentInput['type']

const types: readonly Type[] = ['expense', 'milestone', 'overtime', 'bonus', 'commission', 'other']
export const typeWords = wordsOf

const pointers = ['/contract_id', '/type', '/amount', '/date', '/description']

/** An amount in the currency of the contract, for something beside the pay. */
export function ExpenseForm({ item, contracts, onSaved, onClose }: WorkFormProps<InvoiceAdjustment>) {
  const [contract_id, setContract] = useState(item?.contract_id ?? contracts[0]?.id ?? '')
  const [idempotency_key] = useState(() => crypto.randomUUID())
  const contract = contracts.find(({ id }) => id === contract_id)
  const offered = types.filter((type) => type !== 'milestone' || contract?.type === 'milestone')
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const text = (name: string) => textOf(form, name).trim()
    const date = text('date')
    const work = { amount: text('amount'), description: text('description'), ...(date && { date }) }
    const type = offered.find((one) => one === text('type')) ?? 'expense'
    onSaved(
      item
        ? await stint.worker.update_invoice_adjustment({ invoice_adjustment_id: item.id, ...work })
        : await stint.worker.create_invoice_adjustment({ contract_id, type, ...work }, { idempotency_key }),
    )
  })
  const field = (name: string, label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={item ? 'Change what you handed in' : 'Hand in an expense or extra'}
      action={item ? 'Save changes' : 'Hand in'}
      error={isOfNoField(error, pointers) ? error : null}
      {...{ submit, isBusy, onClose }}
    >
      <SelectField
        {...field('contract_id', 'Contract')}
        options={contractOptions(contracts)}
        value={contract_id}
        disabled={item !== undefined}
        onChange={(event) => setContract(event.currentTarget.value)}
      />
      <SelectField
        {...field('type', 'What it is')}
        options={offered.map((value) => ({ value, words: typeWords(value) }))}
        defaultValue={item?.type ?? offered[0]}
        disabled={item !== undefined}
      />
      <AmountFields
        field={field}
        item={item}
        currency={contract?.compensation.currency ?? item?.currency}
        about="What it is for"
      />
    </FormDialog>
  )
}
