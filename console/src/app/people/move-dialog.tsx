import type { Person } from '#sdk/index.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { PlaceFields } from './person-fields.tsx'
import { changedPerson } from './person-values.ts'

interface MoveDialogProps {
  person: Person
  onClose(): void
}

const pointers = ['/department_id', '/manager_id', '/working_location_id', '/legal_entity_id', '/team_ids']

/** Another department, manager, place or team; nothing else changes. */
export function MoveDialog({ person, onClose }: MoveDialogProps) {
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const changes = changedPerson(form, person)
    if (Object.keys(changes).length > 0) await stint.people.update({ person_id: person.id, ...changes })
    onClose()
  })
  return (
    <FormDialog
      title={`Move ${person.full_name}`}
      action="Move"
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      <PlaceFields person={person} error={error} />
    </FormDialog>
  )
}
