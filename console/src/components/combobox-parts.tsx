import { Combobox } from '@base-ui/react/combobox'
import { useId, useRef, useState } from 'react'
import { useAnswer } from '../lib/use-answer.ts'
import { useLater } from '../lib/use-later.ts'
import type { Choice, ComboboxProps } from './combobox.tsx'
import { Icon } from './icon.tsx'
import { FieldNotes } from './text-field.tsx'

const asked_after_ms = 250

/** Looks among many by what is typed; the service looks, so that ten thousand cost no more than ten. */
export function ComboboxParts({ label, hint, fault, find, onChoose, placeholder, ...field }: ComboboxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const search = useLater(text, asked_after_ms)
  const { value: found, error, isLoading } = useAnswer(find, isOpen ? search : null)
  // The list that is shown fits what was typed before: nobody takes it by a quick Enter.
  const isBehind = text !== search || isLoading
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Combobox.Root<Choice>
        {...field}
        items={found ?? []}
        filter={null}
        open={isOpen}
        onOpenChange={setOpen}
        onInputValueChange={(typed, { reason }) => setText(reason === 'input-change' ? typed : '')}
        onValueChange={(choice) => onChoose?.(choice)}
        itemToStringLabel={({ name }) => name}
        itemToStringValue={(choice) => choice.id}
        isItemEqualToValue={(a, b) => a.id === b.id}
        autoHighlight
      >
        <div className="with-button combobox">
          <Combobox.Input
            ref={input}
            id={id}
            // While the choices are open, everything around them is hidden from a screen reader, the label too.
            aria-label={label}
            placeholder={placeholder}
            aria-invalid={fault ? true : undefined}
            aria-describedby={described || undefined}
          />
          <Combobox.Trigger className="inside" aria-label={`Open ${label}`}>
            <Icon name="down" />
          </Combobox.Trigger>
        </div>
        {/* Within the dialog that it belongs to: everything outside of that lies below it. */}
        <Combobox.Portal container={input.current?.closest('dialog') ?? document.body}>
          <Combobox.Positioner className="popup-place" sideOffset={4}>
            <Combobox.Popup className="popup">
              <Combobox.Status className="popup-note">
                {error ? error.message : isLoading && !found ? 'Looking…' : null}
              </Combobox.Status>
              <Combobox.Empty className="popup-note">{found && !isLoading ? 'Nothing found.' : null}</Combobox.Empty>
              <Combobox.List aria-label="Choices" className={isBehind ? 'popup-list dimmed' : 'popup-list'}>
                {(choice: Choice) => (
                  <Combobox.Item key={choice.id} value={choice} disabled={isBehind} className="popup-item">
                    <bdi>{choice.name}</bdi>
                    {choice.hint ? <span className="hint">{choice.hint}</span> : null}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      <FieldNotes id={id} hint={hint} fault={fault} />
    </div>
  )
}
