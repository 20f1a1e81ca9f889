// A file made on the server, saved by the browser at once; the server then forgets it.
export function render({ model }) {
  const save = () => {
    if (!model.content) return;
    const bytes = Uint8Array.from(atob(model.content), (c) => c.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: model.mime }));
    link.download = model.filename;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    model.content = "";
  };
  model.on("content", save);
  return document.createElement("div");
}
