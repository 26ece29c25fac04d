import { Button } from '../../components/button.tsx'
import { useSearch } from '../../lib/router.tsx'
import { ContractName } from '../ledger/contract-name.tsx'

/** Says that a list shows one contract alone, where a link has brought somebody there. */
export function OfContract({ what }: { what: string }) {
  const [search, setSearch] = useSearch()
  const id = search.get('contract')
  return id ? (
    <p className="toolbar">
      <span>
        {what} of <ContractName id={id} />
      </span>
      <Button look="secondary" size="small" onClick={() => setSearch({ contract: null })}>
        Show all
      </Button>
    </p>
  ) : null
}
