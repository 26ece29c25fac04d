import type { ButtonHTMLAttributes } from 'react'

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: 'primary' | 'secondary' | 'danger' | 'link' | 'quiet'
  size?: 'usual' | 'small'
  isBusy?: boolean
}

/** A busy button stays where the keyboard left it: it is marked and ignored, not disabled. */
export function Button({
  look = 'primary',
  size = 'usual',
  isBusy = false,
  type = 'button',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`button ${look} ${size}`}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : null}
      <span>{children}</span>
    </button>
  )
}
