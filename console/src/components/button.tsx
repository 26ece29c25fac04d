import type { ButtonHTMLAttributes } from 'react'
import { useOnline } from '../lib/use-online.ts'

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'secondary' | 'danger' | 'link' | 'quiet'
  size?: 'usual' | 'small'
  isBusy?: boolean
}

/**
 * A busy button stays where the keyboard left it: it is marked and ignored, not disabled. So is one that would send a form
 * while there is no connection.
 */
export function Button({
  look = 'primary',
  size = 'usual',
  isBusy = false,
  type = 'button',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const isOff = !useOnline() && type === 'submit'
  return (
    <button
      {...rest}
      {...(isOff && { title: 'You are offline' })}
      type={type}
      className={`button ${look} ${size}`}
      aria-disabled={isBusy || isOff || undefined}
      onClick={isBusy || isOff ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : null}
      <span>{children}</span>
    </button>
  )
}
