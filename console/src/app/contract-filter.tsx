import { useSearch } from '../lib/router.tsx'
import { stint } from '../lib/service.ts'
import { useAnswer } from '../lib/use-answer.ts'
import { ContractPicker } from './pickers.tsx'

/** A filter by a contract, whose id stands in the address as `contract`. */
export function ContractFilter({ placeholder = 'Any contract' }: { placeholder?: string }) {
  const [search, setSearch] = useSearch()
  const id = search.get('contract')
  const { value, error } = useAnswer(stint.contracts.get, id ? { contract_id: id } : null)
  const known = value?.id === id ? value : null
  // The name of one that was set by the address comes a moment later.
  if (id && !known && !error) return null
  return (
    <ContractPicker
      key={id ?? 'any'}
      name="contract"
      label="Contract"
      placeholder={placeholder}
      defaultValue={known && { id: known.id, name: `${known.worker_name} · ${known.title}` }}
      onChoose={(choice) => setSearch({ contract: choice?.id ?? null })}
    />
  )
}
