"""What stands on a page of a PDF: lines, drawings, tables, layout?"""
