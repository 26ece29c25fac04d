import { useState } from 'react'
import { type ApiError, apiErrorOf } from '../lib/api.ts'
import { saveFile } from '../lib/save-file.ts'
import { Button } from './button.tsx'
import { ErrorBanner } from './error-banner.tsx'

interface DownloadButtonProps {
  size?: 'small'
  children: string
  /** Asks the service for the file. */
  read(): Promise<File>
}

/** Hands a file of the service to the browser; says so where there is none. */
export function DownloadButton({ size, children, read }: DownloadButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const download = async () => {
    setBusy(true)
    setError(null)
    try {
      saveFile(await read())
    } catch (thrown) {
      setError(apiErrorOf(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button look="secondary" {...(size && { size })} isBusy={isBusy} onClick={download}>
        {children}
      </Button>
      {error ? <ErrorBanner error={error} /> : null}
    </>
  )
}
