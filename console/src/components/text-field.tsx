import { type InputHTMLAttributes, useId, useState } from 'react'

type TextFieldProps = InputHTMLAttributes<HTMLInputElement> & {
  label: string
  hint?: string | undefined
  fault?: string | undefined
}

export function TextField({ label, hint, fault, ...input }: TextFieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...input} id={id} aria-invalid={fault ? true : undefined} aria-describedby={described || undefined} />
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}

export function FieldNotes({ id, hint, fault }: { id: string; hint?: string | undefined; fault?: string | undefined }) {
  return (
    <>
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {fault ? (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      ) : null}
    </>
  )
}

type PasswordFieldProps = Omit<TextFieldProps, 'type'>

/** Long passwords are typed with fewer mistakes when they can be seen. */
export function PasswordField({ label, hint, fault, ...input }: PasswordFieldProps) {
  const id = useId()
  const [isShown, setShown] = useState(false)
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-button">
        <input
          {...input}
          id={id}
          type={isShown ? 'text' : 'password'}
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={fault ? true : undefined}
          aria-describedby={described || undefined}
        />
        <button type="button" className="inside" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
          <span className="only-read"> password</span>
        </button>
      </div>
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}
