import { useState } from 'react'
import { DateField } from '../../components/date-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { saveFile } from '../../lib/save-file.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { useToday } from '../use-today.ts'

interface Days {
  from: string
  to: string
}

type Wish = Days & { currencies?: string[] }

interface ExportDialogProps {
  title: string
  text: string
  path: string
  read(wish: Wish): Promise<File>
  onClose(): void
}

const pointers = ['/from', '/to', '/currencies'] as const

/** Asks which days a CSV file is to hold, and stores it. */
export function ExportDialog({ title, text, path, read, onClose }: ExportDialogProps) {
  const today = useToday()
  const [chosen, setDays] = useState<Days | null>(null)
  const days = chosen ?? (today === null ? { from: '', to: '' } : monthBefore(today))
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const currencies = textOf(form, 'currencies')
      .toUpperCase()
      .match(/[A-Z]+/g)
    saveFile(await read({ ...days, ...(currencies && { currencies: [...currencies] }) }))
    onClose()
  })
  const field = (name: keyof typeof days) => ({
    ...{ name, required: true, value: days[name], fault: faultAt(error, `/${name}`) },
    onChange: (event: { currentTarget: { value: string } }) => setDays({ ...days, [name]: event.currentTarget.value }),
  })
  return (
    <FormDialog
      title={title}
      action="Download CSV"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      <p>{text}</p>
      <div className="pair">
        <DateField label="From" {...field('from')} />
        <DateField label="To" hint="At most 366 days in all." {...field('to')} />
      </div>
      <TextField
        label="Currencies (optional)"
        name="currencies"
        placeholder="EUR, USD"
        spellCheck={false}
        fault={faultAt(error, '/currencies')}
      />
      <p>
        <AsCurl method="GET" path={`${path}?from=${days.from}&to=${days.to}`} />
      </p>
    </FormDialog>
  )
}

/** The days that are usually asked for. */
function monthBefore(today: string): Days {
  const [year, month] = today.split('-').map(Number) as [number, number]
  const dayOf = (date: number) => new Date(date).toISOString().slice(0, 10)
  return { from: dayOf(Date.UTC(year, month - 2, 1)), to: dayOf(Date.UTC(year, month - 1, 0)) }
}
