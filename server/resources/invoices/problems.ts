import { defineProblem } from '#core/problems.ts'

export const nothingToInvoice = defineProblem({
  code: 'nothing_to_invoice',
  status: 422,
  title: 'There is nothing to invoice',
  advice: 'Approve work or adjustments first; the preview of a cycle shows what its invoice would hold.',
})
export const negativeTotal = defineProblem({
  code: 'negative_total',
  status: 422,
  title: 'The deductions exceed what they are taken from',
  advice: 'Leave deductions out, or add work that they can be taken from; untaxed lines give no room for taxable ones.',
})
