import type { ComponentProps } from 'react'
import { SelectField } from '../components/select-field.tsx'
import { stint } from '../lib/service.ts'
import { useAnswer } from '../lib/use-answer.ts'

type Option = { value: string; words: string }

const rows_per_page = 100
const named = (words: string) => (words === '' ? [] : [{ value: words, words }])

/** All rows of a list of constants, once for the whole visit. */
function kept(load: () => Promise<Option[]>): () => Promise<Option[]> {
  let loaded: Promise<Option[]> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

const lookups = {
  countries: kept(async () => {
    const rows = await Array.fromAsync(stint.lookups.countries({ limit: rows_per_page }))
    return rows.map(({ code, name }) => ({ value: code, words: name })).sort((a, b) => a.words.localeCompare(b.words))
  }),
  currencies: kept(async () => {
    const rows = await Array.fromAsync(stint.lookups.currencies({ limit: rows_per_page }))
    return rows.map(({ code }) => ({ value: code, words: code }))
  }),
  time_zones: kept(async () => {
    const rows = await Array.fromAsync(stint.lookups.time_zones({ limit: rows_per_page }))
    return rows.map(({ name }) => ({ value: name, words: name }))
  }),
}

type LookupFieldProps = Omit<ComponentProps<typeof SelectField>, 'options'> & {
  of: keyof typeof lookups
  /** Words of the empty choice; without them something has to be chosen. */
  none?: string
  defaultValue?: string
}

/** A country, a currency or a time zone; until the list is there, the value that was chosen before stands alone. */
export function LookupField({ of, none = 'Choose…', defaultValue = '', ...field }: LookupFieldProps) {
  const { value } = useAnswer(allOf, of)
  const options = value ?? named(defaultValue)
  return (
    <SelectField
      {...field}
      // The value can only be shown once its option is there.
      key={value ? 'loaded' : 'loading'}
      defaultValue={defaultValue}
      options={[{ value: '', words: none }, ...options]}
    />
  )
}

const allOf = (of: keyof typeof lookups) => lookups[of]()

const region_names = new Intl.DisplayNames(['en'], { type: 'region' })

/** `DE` as `Germany`. */
export const countryName = (code: string) => region_names.of(code) ?? code
