import { Component, type ReactNode } from 'react'
import { Button } from '../ui/inputs/button.tsx'
import { Empty } from '../ui/layout/states.tsx'
import { words } from '../words/words.ts'

interface Props {
  /** Another address is another try. */
  at: string
  children: ReactNode
}

/** What breaks takes only its own part along. A piece of the program that is not there any more means that there is a newer one. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidUpdate({ at }: Props) {
    if (at !== this.props.at && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    const isOld = /dynamically imported module|importing a module script/i.test(String(this.state.error))
    return (
      <Empty
        icon={isOld ? 'again' : 'warning'}
        title={isOld ? words.shell.newer : words.shell.broken}
        action={
          <Button kind="main" onClick={() => location.reload()}>
            {words.shell.loadAgain}
          </Button>
        }
      >
        {isOld ? words.shell.newerWhy : words.shell.brokenWhy}
      </Empty>
    )
  }
}
