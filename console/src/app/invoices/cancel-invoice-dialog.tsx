import type { Invoice } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'

interface CancelInvoiceDialogProps {
  invoice: Invoice
  onCancelled(invoice: Invoice): void
  onClose(): void
}

export function CancelInvoiceDialog({ invoice: { id, number }, onCancelled, onClose }: CancelInvoiceDialogProps) {
  const { submit, isBusy, error } = useSubmit(async (form, keyed) => {
    const reason = textOf(form, 'reason')
    onCancelled(await stint.invoices.cancel({ invoice_id: id, reason }, keyed))
    onClose()
  })
  return (
    <FormDialog
      title={`Cancel ${number}?`}
      action="Cancel invoice"
      look="danger"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, ['/reason']) ? error : null}
      onClose={onClose}
    >
      <p>
        It keeps its number and is reversed in the ledger. Its timesheets and adjustments are approved again, and its
        payment cycle can be invoiced anew. This cannot be undone.
      </p>
      <TextField
        label="Reason"
        name="reason"
        required
        maxLength={500}
        hint="Everybody who sees the invoice sees it."
        fault={faultAt(error, '/reason')}
      />
    </FormDialog>
  )
}
