import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Filters, SearchFilter, useFilters } from '../../components/filters.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { List } from '../../components/list.tsx'
import type { Column } from '../../components/table.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { valuesOf } from '../../lib/form-values.ts'
import { useList } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import type { Kind, Named } from './kind.ts'

interface NamedListProps {
  kind: Kind
  mayWrite: boolean
  /** The page has the button; the dialog belongs to the list. */
  isAdding: boolean
  stop(): void
}

/** All of one kind, with a dialog to add, rename and remove. */
export function NamedList({ kind, mayWrite, isAdding, stop }: NamedListProps) {
  const { one, clear, count } = useFilters(['q'])
  const list = useList(kind.list, kind.has_search ? { search: one('q') } : {})
  const [open, setOpen] = useState<{ what: 'edit' | 'remove'; row: Named } | null>(null)
  const close = () => {
    stop()
    setOpen(null)
  }
  const actions: Column<Named> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (row) => (
      <>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'edit', row })}>
          Edit<span className="only-read"> {row.name}</span>
        </Button>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'remove', row })}>
          Remove<span className="only-read"> {row.name}</span>
        </Button>
      </>
    ),
  }
  return (
    <>
      {kind.has_search ? (
        <Filters count={count}>
          <SearchFilter name="q" label="Search" placeholder="Name" />
        </Filters>
      ) : null}
      <List
        list={list}
        label={kind.words}
        one={kind.one}
        columns={[...columnsOf(kind), ...(mayWrite ? [actions] : [])]}
        clearFilters={clear}
        empty={
          <>
            <h2>None yet</h2>
            <p>{kind.about}</p>
          </>
        }
      />
      {isAdding || open?.what === 'edit' ? (
        <NamedDialog kind={kind} {...(open && { row: open.row })} onClose={close} />
      ) : null}
      {open?.what === 'remove' ? (
        <ConfirmDialog
          title={`Remove ${open.row.name}?`}
          action={`Remove ${kind.one}`}
          onClose={close}
          onConfirm={async () => void (await kind.remove(open.row.id))}
        >
          <p>{kind.removal ?? 'Possible while nothing names it that needs it.'}</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const columnsOf = (kind: Kind): readonly Column<Named>[] => [
  {
    ...{ head: kind.one.charAt(0).toUpperCase() + kind.one.slice(1), look: 'main' },
    cell: (row) => (
      <>
        <strong>
          <bdi>{row.name}</bdi>
        </strong>
        <span className="under">{kind.under(row)}</span>
      </>
    ),
  },
  {
    head: kind.code?.words ?? 'External id',
    cell: (row) => {
      const code = kind.code ? kind.code.of(row) : row.external_id
      return code ? <code>{code}</code> : <span className="none">–</span>
    },
  },
]

interface NamedDialogProps {
  kind: Kind
  row?: Named
  onClose(): void
}

function NamedDialog({ kind, row, onClose }: NamedDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const names = ['name', ...(kind.code ? [] : ['external_id']), ...kind.fields]
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const given = { ...valuesOf(form, names), ...kind.values?.(form) }
    await (row ? kind.update(row.id, given) : kind.create(given, key))
    onClose()
  })
  const field = (name: string, label: string) => ({ name, label, fault: faultAt(error, `/${name}`) })
  return (
    <FormDialog
      title={row ? `Edit ${row.name}` : `Add ${kind.one}`}
      action={row ? 'Save changes' : `Add ${kind.one}`}
      submit={submit}
      isBusy={isBusy}
      error={
        isOfNoField(
          error,
          [...names, 'options', 'is_default'].map((name) => `/${name}`),
        )
          ? error
          : null
      }
      onClose={onClose}
    >
      <TextField {...field('name', 'Name')} required maxLength={200} defaultValue={row?.name} autoComplete="off" />
      <kind.Fields row={row} field={field} />
      {kind.code ? null : (
        <TextField
          {...field('external_id', 'External id (optional)')}
          maxLength={255}
          spellCheck={false}
          defaultValue={row?.external_id ?? ''}
          hint="Your own number of it, unique."
        />
      )}
    </FormDialog>
  )
}
