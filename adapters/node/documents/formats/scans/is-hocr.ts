/** Whether the first characters of an HTML file say that it is hOCR (hOCR 1.2, section 2). */
export function isHocr(start: string): boolean {
  const head = start.slice(0, 4096);
  return ["ocr-system", "ocr-capabilities", "ocr_page"].some((mark) => head.includes(mark));
}
