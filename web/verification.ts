const PACE = 700;

/** Looks whether a source was compiled, and shows what came of it. */
export function followVerification(): void {
  const poll = async () => {
    const answer = await fetch(`${location.pathname}/state`, { cache: "no-store" }).catch(() => undefined);
    const { state } = answer?.ok ? ((await answer.json()) as { state: string }) : { state: "pending" };
    if (state === "pending") setTimeout(poll, PACE);
    else location.reload();
  };
  setTimeout(poll, PACE);
}
