import { type ReactNode, useEffect, useId, useState } from 'react'
import { useSearch } from '../lib/router.tsx'
import { useLater } from '../lib/use-later.ts'
import { Button } from './button.tsx'
import { Check } from './choice-list.tsx'
import { DateField } from './date-field.tsx'
import { Icon } from './icon.tsx'
import { SelectField } from './select-field.tsx'
import { TextField } from './text-field.tsx'

export interface Option {
  value: string
  words: string
}

interface FiltersProps {
  /** The number of those that are set. */
  count: number
  children: ReactNode
}

/**
 * The fields above a list. All that is set in them lives in the address. Three or more are folded on a narrow window, where
 * they would fill the screen before the first row.
 */
export function Filters({ count, children }: FiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <search id={id} className={['filters', isOpen && 'open', count === 0 && 'unset'].filter(Boolean).join(' ')}>
      <Button look="secondary" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      {children}
    </search>
  )
}

/** The filters of these names as they are set in the address. */
export function useFilters(names: readonly string[]) {
  const [search, setSearch] = useSearch()
  const count = names.filter((name) => search.has(name)).length
  return {
    /** Undefined where nothing is set, as inputs of operations take it. */
    one: (name: string) => search.get(name) || undefined,
    /** Of several words those that are known: an address may be old, or made up. */
    several: <Word extends string>(name: string, known: readonly Word[]): Word[] | undefined => {
      const set = search.get(name)?.split(',') ?? []
      const found = known.filter((word) => set.includes(word))
      return found.length > 0 ? found : undefined
    },
    count,
    /** For `clearFilters` of a list. */
    clear: count > 0 ? () => setSearch(Object.fromEntries(names.map((name) => [name, null]))) : undefined,
  }
}

interface FilterProps {
  /** In the address. */
  name: string
  label: string
}

const asked_after_ms = 250

/** Asks once the typing pauses. `/` goes here from anywhere on the page. */
export function SearchFilter({ name, label, placeholder }: FilterProps & { placeholder?: string }) {
  const [search, setSearch] = useSearch()
  const set = search.get(name) ?? ''
  const [text, setText] = useState(set)
  const later = useLater(text, asked_after_ms).trim()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing writes the address
  useEffect(() => {
    if (later !== set) setSearch({ [name]: later })
  }, [later])
  // Filters may be taken off elsewhere, or by going back.
  useEffect(() => setText((typed) => (typed.trim() === set ? typed : set)), [set])
  return (
    <TextField
      label={label}
      type="search"
      value={text}
      placeholder={placeholder}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

export function SelectFilter({ name, label, options }: FilterProps & { options: readonly Option[] }) {
  const [search, setSearch] = useSearch()
  return (
    <SelectField
      label={label}
      options={options}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.currentTarget.value })}
    />
  )
}

/** Several of a few, as boxes to tick; the address holds them with commas between. */
export function SeveralFilter({ name, label, options }: FilterProps & { options: readonly Option[] }) {
  const [search, setSearch] = useSearch()
  const id = useId()
  const set = search.get(name)?.split(',') ?? []
  const chosen = options.filter(({ value }) => set.includes(value))
  const change = (value: string, isOn: boolean) => {
    const next = options.filter((option) => (option.value === value ? isOn : chosen.includes(option)))
    setSearch({ [name]: next.map((option) => option.value).join() })
  }
  const [first] = chosen
  return (
    <div className="field several">
      <span className="as-label" id={`${id}-label`}>
        {label}
      </span>
      <button type="button" popoverTarget={id} id={`${id}-open`} aria-labelledby={`${id}-label ${id}-open`}>
        <span>{!first ? 'Any' : chosen.length === 1 ? first.words : `${chosen.length} chosen`}</span>
        <Icon name="down" />
      </button>
      <fieldset id={id} popover="auto" className="popup below" aria-labelledby={`${id}-label`}>
        {options.map(({ value, words }) => (
          <Check key={value} checked={set.includes(value)} onChange={(isOn) => change(value, isOn)}>
            {words}
          </Check>
        ))}
      </fieldset>
    </div>
  )
}

interface RangeFilterProps {
  label: string
  /** Names in the address of the first and the last day. */
  from: string
  to: string
}

/** From a day to a day, both included; either may be open. */
export function RangeFilter({ label, from, to }: RangeFilterProps) {
  const [search, setSearch] = useSearch()
  const field = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: (event: { currentTarget: { value: string } }) => setSearch({ [name]: event.currentTarget.value }),
  })
  return (
    <>
      <DateField label={`${label} from`} max={search.get(to) ?? undefined} {...field(from)} />
      <DateField label={`${label} to`} min={search.get(from) ?? undefined} {...field(to)} />
    </>
  )
}
