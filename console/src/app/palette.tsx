import { Autocomplete } from '@base-ui/react/autocomplete'
import { useState } from 'react'
import type { Choice } from '../components/combobox.tsx'
import { Dialog } from '../components/dialog.tsx'
import { goTo } from '../lib/router.tsx'
import { stint } from '../lib/service.ts'
import { useAnswer } from '../lib/use-answer.ts'
import { useLater } from '../lib/use-later.ts'
import { type MeValue, useMe } from './me.tsx'
import { pages } from './pages.ts'
import { findContracts, findPeople } from './pickers.tsx'

interface Entry {
  id: string
  words: string
  hint?: string | undefined
  go(): void
}

interface Group {
  value: string
  items: Entry[]
}

const asked_after_ms = 200
const asked_from_characters = 2

/** Goes anywhere by a few letters: pages, what can be made, and people and contracts by their names. */
export function Palette({ onClose }: { onClose(): void }) {
  const me = useMe()
  const [text, setText] = useState('')
  const typed = text.trim().toLowerCase()
  const later = useLater(typed, asked_after_ms)
  const search = later.length >= asked_from_characters ? later : null
  const people = useAnswer(findPeople, me.can('people:read') ? search : null)
  const contracts = useAnswer(findContracts, me.can('contracts:read') ? search : null)
  const invoices = useAnswer(findInvoices, me.can('accounting:read') && number_form.test(later) ? later : null)
  const fits = ({ words, hint = '' }: Entry) => `${words} ${hint}`.toLowerCase().includes(typed)
  const found = (kind: string, choices: typeof people): Entry[] =>
    search === null || typed.length < asked_from_characters
      ? []
      : (choices.value ?? []).map(({ id, name, hint }) => ({ id, words: name, hint, go: () => goTo(`/${kind}/${id}`) }))
  const groups: Group[] = [
    { value: 'Go to', items: placesOf(me).filter(fits) },
    { value: 'Create', items: creationsOf(me).filter(fits) },
    { value: 'People', items: found('people', people) },
    { value: 'Contracts', items: found('contracts', contracts) },
    { value: 'Invoices', items: number_form.test(typed) ? found('invoices', invoices) : [] },
  ].filter(({ items }) => items.length > 0)
  const isAsking =
    typed.length >= asked_from_characters &&
    (later !== typed || people.isLoading || contracts.isLoading || invoices.isLoading)
  return (
    <Dialog title="Go anywhere" onClose={onClose}>
      <Autocomplete.Root
        inline
        open
        items={groups}
        filter={null}
        autoHighlight="always"
        keepHighlight
        value={text}
        onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
        itemToStringValue={({ words }: Entry) => words}
      >
        <div className="field">
          <Autocomplete.Input
            data-first
            aria-label="Page, person, contract or invoice number"
            placeholder="Page, person, contract or invoice number"
          />
        </div>
        <Autocomplete.Empty className="popup-note">{isAsking ? 'Looking…' : 'Nothing fits.'}</Autocomplete.Empty>
        <Autocomplete.List className="palette">
          {({ value, items }: Group) => (
            <Autocomplete.Group key={value} items={items}>
              <Autocomplete.GroupLabel className="side-group">{value}</Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(entry: Entry) => (
                  <Autocomplete.Item
                    key={entry.id}
                    value={entry}
                    className="popup-item"
                    onClick={() => {
                      onClose()
                      entry.go()
                    }}
                  >
                    <bdi>{entry.words}</bdi>
                    {entry.hint ? <span className="hint">{entry.hint}</span> : null}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

/** The whole number of an invoice, as it stands on paper. */
const number_form = /^[a-z\d]+-\d{4}-\d+$/

async function findInvoices(number: string): Promise<Choice[]> {
  const { data } = await stint.invoices.list({ number: number.toUpperCase() }).page()
  return data.map(({ id, number, worker_email }) => ({ id, name: number, hint: worker_email ?? undefined }))
}

const mine = ({ membership: { role } }: MeValue) => pages.filter(({ roles }) => roles?.includes(role) ?? true)

function placesOf(me: MeValue): Entry[] {
  const own = mine(me).flatMap(({ path, words, group }) =>
    words ? [{ id: path, words, hint: group, go: () => goTo(path) }] : [],
  )
  return [...own, { id: '/docs', words: 'API reference', go: () => location.assign('/docs') }]
}

function creationsOf(me: MeValue): Entry[] {
  return mine(me).flatMap(({ path, creates }) => (creates ? [{ id: path, words: creates, go: () => goTo(path) }] : []))
}
